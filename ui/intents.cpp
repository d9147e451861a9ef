#include "ui/intents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/availability.hpp"
#include "ui/following.hpp"
#include "ui/hints.hpp"
#include "ui/keeping.hpp"
#include "ui/limits.hpp"

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

/// A change of what is swept: a running sweep starts anew once the user has settled.
void changed(AppState& state, double now) {
  stop_following(state);
  adapt_to_device(state);
  const bool concerns_it = state.running.sweep && !state.running.roofs;
  if (concerns_it) state.restart_due = now + rest_before_restart;
}

void start(AppState& state, engine::SweepRequest request) {
  if (current_device(state) == nullptr) return;
  stop_following(state);
  state.restart_due.reset();
  state.running.sweep = true;
  state.running.by_user = true;
  state.running.roofs = request.spec.experiment == "roofs";
  state.running.device = state.spec.device;
  state.running.done = 0;
  state.running.total = 0;
  state.running.seconds_left = 0;
  state.running.now = "starting";
  if (!state.running.roofs) state.focus = Focus::newest;
  state.commands.emplace_back(StartSweep{std::move(request)});
}

void move_cursor(AppState& state, double now) {
  state.focus = Focus::cursor;
  state.probe_due = now + rest_before_probe;
  // A probe of a place that the cursor has left would only keep the cores from drawing.
  if (state.running.probe && !state.running.sweep) state.commands.emplace_back(StopWork{});
}

}  // namespace

void run(AppState& state) {
  engine::SweepRequest request{state.spec, known_roofs(state)};
  request.spec.experiment = "intensity";
  start(state, std::move(request));
}

void measure_roofs(AppState& state, bool again) {
  engine::SweepRequest request{state.spec, {}};  // none is known: all are measured
  request.spec.experiment = "roofs";
  request.spec.remeasure = again;
  state.roofs_of.reset();
  start(state, std::move(request));
}

void stop(AppState& state) {
  state.restart_due.reset();
  state.probe_due.reset();
  if (state.running.any()) state.running.now = "stopping";
  state.commands.emplace_back(StopWork{});
}

void toggle_run(AppState& state) {
  if (state.running.sweep) {
    stop(state);
  } else if (state.shown == Shown::roofs) {
    measure_roofs(state, false);
  } else {
    run(state);
  }
}

void set_device(AppState& state, const std::string& id, double now) {
  if (state.spec.device == id) return;
  state.spec.device = id;
  state.roofs_of.reset();
  state.hovered.reset();
  state.zoom = {};
  state.focus = Focus::newest;
  changed(state, now);
}

void set_family(AppState& state, Family family, double now) {
  state.spec.kernel = family;
  if (family == Family::chain) state.spec.units = UnitsChoice::vector;
  changed(state, now);
}

void set_op(AppState& state, kernels::Op op, double now) {
  state.spec.op = op;
  changed(state, now);
}

void toggle_dtype(AppState& state, Dtype dtype, double now) {
  std::vector<Dtype>& chosen = state.spec.dtypes;
  const auto found = std::find(chosen.begin(), chosen.end(), dtype);
  if (found == chosen.end()) {
    chosen.push_back(dtype);
  } else if (chosen.size() > 1) {
    chosen.erase(found);
  } else {
    return notify(state, "One element type stays chosen; choose another one first.", false);
  }
  std::sort(chosen.begin(), chosen.end());
  followed(state, Hint::toggle);
  changed(state, now);
}

void set_fusion(AppState& state, engine::FusionChoice fusion, double now) {
  followed(state, Hint::toggle);
  state.spec.fusion = fusion;
  changed(state, now);
}

void set_units(AppState& state, UnitsChoice units, double now) {
  followed(state, Hint::toggle);
  state.spec.units = units;
  if (units != UnitsChoice::vector) state.spec.kernel = Family::tile;
  changed(state, now);
}

void set_elements(AppState& state, std::uint64_t elements, double now) {
  if (state.spec.elements == elements) return;
  state.spec.elements = elements;
  changed(state, now);
  move_cursor(state, now);
}

void set_noise(AppState& state, double share) {
  stop_following(state);
  state.spec.noise = std::clamp(share, 1e-4, 1.0);
}

void set_max_time(AppState& state, double seconds) {
  stop_following(state);
  state.spec.max_time = std::clamp(seconds, 0.01, 600.0);
}

void set_cursor(AppState& state, std::uint64_t repeat, double now) {
  const std::uint64_t bounded = std::clamp<std::uint64_t>(repeat, 1, kernels::max_repeat);
  if (bounded == state.cursor_repeat) return;
  followed(state, Hint::drag);
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
  set_cursor(state, static_cast<std::uint64_t>(here), now);
}

void probe(AppState& state) {
  const auto what = cursor_case(state);
  if (!what) return;
  state.running.probe = true;
  state.running.probe_device = state.spec.device;
  engine::ProbeRequest request;
  request.spec = state.spec;
  request.what = *what;
  request.known_roofs = known_roofs(state);
  request.run = newest_run(state);
  state.commands.emplace_back(StartProbe{std::move(request)});
}

void set_data(AppState& state, kernels::Data data, double now) {
  if (state.spec.data == data) return;
  state.spec.data = data;
  changed(state, now);
  move_cursor(state, now);
}

void show(AppState& state, Shown shown) {
  state.shown = shown;
  state.maximised.reset();
  state.hovered.reset();
  state.inspected.reset();
}

void show_roofs_of(AppState& state, std::size_t number) {
  state.roofs_of = number;
  fit_panel(state.zoom, Panel::levels);
}

void set_what_if(AppState& state, std::optional<std::size_t> sheet) {
  state.view.what_if.reset();
  if (!sheet || *sheet >= state.sheets.size()) return;
  engine::Session other;
  other.device.name = state.sheets[*sheet].name;
  for (const engine::Roof& roof : state.sheets[*sheet].roofs) {
    other.roofs.push_back(roof);
    if (roof.dtype == std::nullopt || roof.units != kernels::Units::vector) continue;
    // One FLOP per instruction where an FMA does two.
    for (const kernels::Op op : {kernels::Op::mul, kernels::Op::add}) {
      engine::Roof half = roof;
      half.name = engine::compute_roof_name(*roof.dtype, *roof.units, op);
      half.rate /= 2;
      other.roofs.push_back(std::move(half));
    }
  }
  state.view.what_if = std::move(other);
}

void select_roof(AppState& state, const std::string& name) { state.selected_roof = name; }

void toggle_roof(AppState& state, const std::string& name) {
  const engine::Session* session = roofs_session(state);
  if (session == nullptr) return;
  const bool draws = draws_roof(*session, name, state.view);
  state.view.roofs[name] = !draws;
}

void fit_axes(AppState& state) { state.zoom = {}; }

void lock_axes(AppState& state) {
  const FigureInputs inputs = figure_inputs(state);
  SeriesCache series;
  for (const Panel panel : panels_on_screen(state)) {
    const plot::Figure figure = figure_on_screen(inputs, panel, series);
    state.zoom.x_of(panel) = Range{figure.x.low, figure.x.high};
    state.zoom.y[index_of(panel)] = Range{figure.y.low, figure.y.high};
  }
}

void maximise(AppState& state, Panel panel) {
  const std::vector<Panel> panels = panels_on_screen(state);
  if (state.shown == Shown::roofs || std::ranges::find(panels, panel) == panels.end()) return;
  state.inspected.reset();
  if (state.maximised == panel) {
    state.maximised.reset();
  } else {
    state.maximised = panel;
  }
}

void step_back(AppState& state) {
  if (state.inspected) {
    state.inspected.reset();
  } else {
    state.maximised.reset();
  }
}

void fold_controls(AppState& state) {
  state.division.controls_open = !state.division.controls_open;
}

void set_x_axis(AppState& state, XAxis x) {
  const bool same_numbers = (state.view.x == XAxis::intensity) == (x == XAxis::intensity);
  state.view.x = x;
  if (!same_numbers) state.zoom.shared_x.reset();
}

void toggle_series(AppState& state, const std::string& id) {
  if (state.view.hidden.erase(id) == 0) state.view.hidden.insert(id);
}

void magnify(AppState& state, int steps) {
  constexpr double step = 1.1;
  const double wanted = steps == 0 ? 1 : state.magnification * std::pow(step, steps);
  state.magnification = std::clamp(wanted, smallest_magnification, largest_magnification);
}

void toggle_log(AppState& state) {
  state.log = !state.log;
  for (Notice& notice : state.notices) notice.seen = true;
}

void show_results(AppState& state, const std::string& filter) {
  state.shown = state.shown == Shown::roofs ? Shown::sweep : state.shown;  // else they have no room
  state.log = false;
  state.below = Below::results;
  state.results.filter = filter;
}

void adapt_to_device(AppState& state) {
  const engine::DeviceSummary* device = current_device(state);
  if (device == nullptr) return;
  std::vector<std::string> changes;
  state.spec = adapted(state.spec, *device, changes);
  for (std::string& change : changes) notify(state, std::move(change), false);
}

}  // namespace ui
