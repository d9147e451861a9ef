#include "ui/actions/intents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/worker/replay.hpp"
#include "kernels/families/family.hpp"
#include "ui/model/availability.hpp"
#include "ui/model/opened_spec.hpp"
#include "ui/screen/limits.hpp"

namespace ui {

using engine::Spec;
using engine::UnitsChoice;
using kernels::Dtype;
using kernels::Family;

namespace {

std::vector<engine::Roof> known_roofs(const AppState& state) {
  const engine::Session* session = current_session(state);
  return session == nullptr ? std::vector<engine::Roof>() : session->roofs;
}

std::uint64_t newest_run(const AppState& state) {
  std::uint64_t newest = 0;
  if (const engine::Session* session = current_session(state)) {
    for (const engine::Point& point : session->points) newest = std::max(newest, point.run);
  }
  return newest;
}

/// A change of what is swept: a running sweep starts again once the user has settled.
void changed(AppState& state, double now) {
  keep_own_spec(state);
  adapt_to_device(state);
  if (runs_lab_on_screen(state) && !lab_on_screen(state).lists_roofs)
    state.worker.restart_due = now + rest_before_restart;
}

void start(AppState& state, engine::SweepRequest request) {
  const engine::Place* device = current_device(state);
  if (device == nullptr || state.look.presenting) return;
  if (device->recorded) {  // it plays from the beginning
    state.documents.sessions.insert_or_assign(device->info.id, *device->recorded);
    forget_places(state);
  } else {
    keep_own_spec(state);
  }
  state.worker.restart_due.reset();
  Running& running = state.worker.running;
  running.sweep = true;
  running.by_user = true;
  running.lab = request.spec.lab;
  running.device = state.spec.device;
  running.progress = {};
  running.progress.now = "starting";
  // What an earlier run of this lab said is of that run.
  for (Notice& notice : state.notices) notice.seen = notice.seen || notice.lab == request.spec.lab;
  state.commands.emplace_back(std::move(request));
}

/// The slider's point is another one: it is measured once the slider has rested.
void move_cursor(AppState& state, double now) {
  if (lab_on_screen(state).slider.empty()) return;
  if (is_view_only(state)) return;  // it shows what the file holds, or what its roofs predict
  state.worker.probe_due = now + rest_before_probe;
  // A probe of a place that the cursor has left would only keep the cores from drawing.
  if (state.worker.running.probe && !state.worker.running.sweep)
    state.commands.emplace_back(StopWork{});
}

/// A change of the slider's point as well.
void changed_case(AppState& state, double now) {
  changed(state, now);
  move_cursor(state, now);
}

/// Matrix units bring a family along that runs on them.
void match_family(AppState& state) {
  const bool vector = state.spec.units == UnitsChoice::vector;
  if (!vector && !state.spec.family()->runs_on(kernels::Units::matrix))
    state.spec.kernel = kernels::usual_family(kernels::Units::matrix);
}

/// From now on element types and units are chosen: those on screen.
void choose_types(AppState& state) {
  if (state.spec.types_chosen) return;
  const engine::Spec shown = spec_on_screen(state);
  state.spec.dtypes = shown.dtypes;
  state.spec.units = shown.units;
  state.spec.types_chosen = true;
  match_family(state);
}

}  // namespace

void run(AppState& state) {
  state.worker.tour = {};
  const engine::Lab& lab = lab_on_screen(state);
  if (lab.lists_roofs) return measure_roofs(state, false);
  engine::SweepRequest request{without_hidden(state, engine::read_by(lab, state.spec)),
                               known_roofs(state)};
  start(state, std::move(request));
}

void measure_roofs(AppState& state, bool again) {
  const auto lab = std::ranges::find(engine::labs(), true, &engine::Lab::lists_roofs);
  if (lab == engine::labs().end()) return;
  state.worker.tour = {};
  engine::SweepRequest request{engine::read_by(**lab, state.spec), {}};  // all are measured
  request.spec.remeasure = again;
  state.look.roofs_of.reset();
  start(state, std::move(request));
}

void run_all_labs(AppState& state) {
  Tour tour;
  for (const engine::Lab* lab : engine::labs())
    if (!lab->watches && why_no_lab(current_device(state), *lab).empty())
      tour.waiting.push_back(lab);
  std::ranges::reverse(tour.waiting);
  tour.labs = tour.waiting.size();
  state.worker.tour = std::move(tour);
  run_next_lab(state);
}

void run_next_lab(AppState& state) {
  if (state.look.presenting) return;  // it goes on afterwards
  Tour& tour = state.worker.tour;
  if (tour.waiting.empty()) {
    tour = {};
    return;
  }
  const engine::Lab& lab = *tour.waiting.back();
  tour.waiting.pop_back();
  show_lab(state, lab);
  start(state, {engine::tour_spec(lab, state.spec.device),
                lab.lists_roofs ? std::vector<engine::Roof>() : known_roofs(state)});
}

void replay(AppState& state, const engine::Session& recording, double speed) {
  if (!state.own_spec) state.own_spec = state.spec;
  state.chosen_dtypes.clear();
  if (auto spec = opened_spec(recording, state.spec, engine::recorded_device(recording)))
    state.spec = std::move(*spec);
  // The lab of what was measured last.
  for (const engine::Run& run : recording.runs)
    if (engine::find_lab(run.spec.lab) != nullptr) state.spec.lab = run.spec.lab;
  state.worker.run_when_ready = true;
  state.commands.emplace_back(PlayRecording{recording, speed});
}

void replay_opened(AppState& state, std::size_t index) {
  if (index >= state.documents.opened.size()) return;
  const engine::Session recording = *state.documents.opened[index].session;
  close_opened(state, index);
  replay(state, recording);
}

void stop(AppState& state) {
  state.worker.restart_due.reset();
  state.worker.probe_due.reset();
  state.worker.tour = {};
  if (state.worker.running.any()) state.worker.running.progress.now = "stopping";
  state.commands.emplace_back(StopWork{});
}

void toggle_run(AppState& state) {
  if (state.worker.running.sweep) {
    stop(state);
  } else {
    run(state);
  }
}

void set_device(AppState& state, const std::string& id, double now) {
  if (state.spec.device == id) return;
  state.spec.device = id;
  state.look.roofs_of.reset();
  state.look.hovered.reset();
  state.look.zoom = {};
  changed(state, now);
}

void set_family(AppState& state, Family family, double now) {
  state.spec.kernel = family;
  if (!family->runs_on(kernels::Units::matrix)) state.spec.units = UnitsChoice::vector;
  changed_case(state, now);
}

void set_op(AppState& state, kernels::Op op, double now) {
  state.spec.op = op;
  changed_case(state, now);
}

void toggle_dtype(AppState& state, Dtype dtype, double now) {
  choose_types(state);
  state.chosen_dtypes.clear();
  std::vector<Dtype>& chosen = state.spec.dtypes;
  const auto found = std::find(chosen.begin(), chosen.end(), dtype);
  if (found == chosen.end()) {
    chosen.push_back(dtype);
  } else if (chosen.size() > 1) {
    chosen.erase(found);
  } else {
    return notify(state, "At least one element type is needed; choose another first.", false);
  }
  std::sort(chosen.begin(), chosen.end());
  changed_case(state, now);
}

void set_fusion(AppState& state, engine::FusionChoice fusion, double now) {
  state.spec.fusion = fusion;
  changed_case(state, now);
}

void set_units(AppState& state, UnitsChoice units, double now) {
  choose_types(state);
  state.spec.units = units;
  match_family(state);
  changed_case(state, now);
}

void set_elements(AppState& state, std::uint64_t elements, double now) {
  if (state.spec.elements != elements) {
    state.spec.elements = elements;
    changed_case(state, now);
  }
  state.own_elements.reset();  // these are the user's own
}

void set_quality(AppState& state, double Spec::*which, double value) {
  keep_own_spec(state);
  state.spec.*which = value;
}

void set_cursor(AppState& state, std::uint64_t repeat, double now) {
  const std::uint64_t bounded = std::clamp<std::uint64_t>(repeat, 1, kernels::max_repeat);
  if (bounded == state.cursor_repeat) return;
  state.cursor_repeat = bounded;
  move_cursor(state, now);
}

void step_cursor(AppState& state, int direction, double now) {
  constexpr double per_octave = 3;  // 8, 10, 13, 16: every power of two, which sweeps measure
  const auto before = static_cast<double>(state.cursor_repeat);
  double here = before;
  // Where stops lie closer together than whole numbers do, some are the same.
  for (double stop = std::round(per_octave * std::log2(before));
       stop >= 0 && direction * here <= direction * before; stop += direction)
    here = std::round(std::exp2(stop / per_octave));
  state.look.keys_move = true;
  set_cursor(state, static_cast<std::uint64_t>(here), now);
}

void probe(AppState& state) {
  const auto what = cursor_case(state);
  if (!what || lab_on_screen(state).slider.empty() || is_view_only(state) || state.look.presenting)
    return;
  state.worker.running.probe = true;
  state.worker.running.probe_device = state.spec.device;
  state.commands.emplace_back(StartProbe{state.spec, *what, known_roofs(state), newest_run(state)});
}

void set_data(AppState& state, kernels::Data data, double now) {
  if (state.spec.data == data) return;
  state.spec.data = data;
  changed_case(state, now);
}

void show_lab(AppState& state, const engine::Lab& lab, bool starts) {
  if (&lab != &lab_on_screen(state)) {  // these were for the other one
    state.worker.restart_due.reset();
    state.look.title.clear();
  }
  state.spec.lab = lab.name;
  show_apart(state, false);
  if (starts) run(state);
}

void show_apart(AppState& state, bool apart) {
  state.look.apart = apart;
  state.look.comparing.reset();
  state.look.maximised.reset();
  state.look.hovered.reset();
  state.look.inspected.reset();
}

void set_own_knob(AppState& state, std::string_view name, std::string_view text, double now) {
  try {
    engine::set_knob(state.spec, name, text);
  } catch (const engine::BadInput& problem) {
    return notify(state, problem.what());
  }
  changed(state, now);
}

void show_roofs_of(AppState& state, std::size_t number) {
  state.look.roofs_of = number;
  for (const engine::Chart& chart : charts_on_screen(state)) fit_chart(state.look.zoom, chart);
}

void set_what_if(AppState& state, std::optional<std::size_t> sheet) {
  state.look.view.what_if.reset();
  if (!sheet || *sheet >= state.documents.sheets.size()) return;
  engine::Session other;
  other.device.name = state.documents.sheets[*sheet].name;
  other.roofs = state.documents.sheets[*sheet].roofs;
  other.device.l2_bytes = state.documents.sheets[*sheet].cache_bytes;
  state.look.view.what_if = std::move(other);
}

void toggle_roof(AppState& state, const std::string& name) {
  const engine::Session* session = roofs_session(state);
  if (session == nullptr) return;
  const bool draws = draws_roof(*session, name, state.look.view);
  state.look.view.roofs[name] = !draws;
}

void lock_axes(AppState& state) {
  for (const engine::Chart& chart : measured_charts(state)) {
    const plot::Figure figure = figure_on_screen(state, chart);
    set_range(state, chart, Range{figure.x.low, figure.x.high}, Range{figure.y.low, figure.y.high});
  }
}

void maximise(AppState& state, std::string_view id) {
  const std::vector<engine::Chart> charts = charts_on_screen(state);
  if (lab_on_screen(state).lists_roofs || state.look.comparing ||
      std::ranges::find(charts, id, &engine::Chart::id) == charts.end())
    return;
  state.look.inspected.reset();
  if (state.look.maximised == id) {
    state.look.maximised.reset();
  } else {
    state.look.maximised = id;
  }
}

void fold_controls(AppState& state) {
  state.look.division.controls_open = !state.look.division.controls_open;
}

void set_x_axis(AppState& state, XAxis x) {
  const bool same_numbers = (state.look.view.x == XAxis::intensity) == (x == XAxis::intensity);
  state.look.view.x = x;
  if (same_numbers) return;
  for (const engine::Chart& chart : engine::all_charts()) {
    if (chart.x_metric() != nullptr && !chart.x_metric()->key.empty())
      state.look.zoom.x.erase(std::string(x_key(chart)));
  }
}

void magnify(AppState& state, int steps) {
  constexpr double step = 1.1;
  const double wanted = steps == 0 ? 1 : state.look.magnification * std::pow(step, steps);
  state.look.magnification = std::clamp(wanted, smallest_magnification, largest_magnification);
}

void toggle_log(AppState& state) {
  state.dialogs.log = !state.dialogs.log;
  for (Notice& notice : state.notices) notice.seen = true;
}

void show_results(AppState& state, const std::string& filter) {
  const auto has_room = [](const engine::Lab* lab) { return !lab->lists_roofs; };
  if (lab_on_screen(state).lists_roofs)
    show_lab(state, **std::ranges::find_if(engine::labs(), has_room));
  state.dialogs.log = false;
  state.look.comparing.reset();
  state.look.below = Below::results;
  state.look.results.filter = filter;
}

}  // namespace ui
