#include "ui/model/app_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/session/session_file.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/model/availability.hpp"
#include "ui/model/spec_from_session.hpp"

namespace ui {

using engine::Session;
using kernels::Case;

namespace {

constexpr std::size_t most_notices = 500;  // a log that nobody reads further back

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

void open_session(AppState& state, const engine::Place& device) {
  if (device.recorded) {
    state.documents.sessions.insert_or_assign(device.info.id, *device.recorded);
    return;
  }
  Session session = engine::new_session(device.info);
  try {
    for (engine::Roof& roof : engine::datasheet_roofs(device.info)) {
      engine::add_roof(session, std::move(roof));
    }
  } catch (const engine::BadInput& error) {
    notify(state, error.what());
  }
  state.documents.sessions.emplace(device.info.id, std::move(session));
}

void add_notice(AppState& state, Notice notice) {
  // Said twice in a row is said once, at the later time.
  if (!state.notices.empty() && state.notices.back().text == notice.text) state.notices.pop_back();
  state.notices.push_back(std::move(notice));
  if (state.notices.size() > most_notices) state.notices.erase(state.notices.begin());
}

/// Said by a run: of the lab that runs, or of the slider's.
void notify_of_run(AppState& state, std::string text) {
  Notice notice{std::move(text), true, state.clock, false};
  notice.lab = state.worker.running.sweep ? state.worker.running.lab : state.spec.lab;
  add_notice(state, std::move(notice));
}

void choose_first_device(AppState& state) {
  if (state.worker.devices.empty() || current_device(state) != nullptr) return;
  const std::string& first = state.worker.devices.front().info.id;
  if (!state.spec.device.empty()) {
    notify(state, fmt::format("{} is not available: using {}.", state.spec.device, first));
  }
  state.spec.device = first;
}

/// A recording takes the place of an earlier one and is chosen.
void add_device(AppState& state, const engine::Place& device) {
  const std::string& id = device.info.id;
  std::erase_if(state.worker.devices, [&](const auto& old) { return old.info.id == id; });
  state.worker.devices.push_back(device);
  open_session(state, device);
  if (device.recorded) state.spec.device = id;
}

void apply_opened(AppState& state, const engine::DevicesOpened& event) {
  state.worker.looking = false;
  for (const engine::Place& device : event.usable) add_device(state, device);
  for (const kernels::Unavailable& missing : event.unavailable) {
    state.worker.unavailable.push_back(missing);
    notify(state, fmt::format("{}: {}", missing.id, missing.why), false);
  }
  choose_first_device(state);
  set_spec_from_opened(state);
  adapt_to_device(state);
  if (state.worker.run_when_ready) {
    run(state);
    state.worker.running.by_user = false;
  }
  state.worker.run_when_ready = false;
}

bool apply_progress(AppState& state, const engine::Progress& event) {
  if (event.sweep != state.worker.running.sweep_number || !state.worker.running.sweep) return false;
  state.worker.running.done = event.done;
  state.worker.running.total = event.total;
  state.worker.running.pass = event.pass;
  state.worker.running.seconds_left = event.seconds_left;
  state.worker.running.now = event.now;
  return true;
}

void apply_finished(AppState& state, const engine::SweepFinished& event) {
  Running& running = state.worker.running;
  if (event.end == engine::End::failed) notify_of_run(state, event.why);
  if (event.probe && event.sweep == running.probe_number) running.probe = false;
  if (!event.probe && event.sweep == running.sweep_number) {
    running.sweep = false;
    running.now.clear();
    note_end(state, running.device);
    run_next_lab(state);
  }
}

bool apply_to_session(AppState& state, const std::string& device, const engine::Event& event) {
  const auto found = state.documents.sessions.find(device);
  if (found == state.documents.sessions.end()) return false;
  Session& session = found->second.edit();
  const bool had_room = session.left_out == 0;
  const bool changed = engine::apply(session, event);
  const bool full = had_room && session.left_out > 0;
  if (full) notify(state, engine::full_warning(session));
  return changed || full;
}

bool waits(const std::optional<Tip>& tip) { return tip && !tip->shown && !tip->spent; }

}  // namespace

AppState new_state() {
  AppState state;
  state.spec.fusion = engine::FusionChoice::both;
  return state;
}

const engine::Place* current_device(const AppState& state) {
  for (const engine::Place& device : state.worker.devices) {
    if (device.info.id == state.spec.device) return &device;
  }
  return nullptr;
}

const Session* current_session(const AppState& state) {
  const auto found = state.documents.sessions.find(state.spec.device);
  return found == state.documents.sessions.end() ? nullptr : &*found->second;
}

std::vector<const Session*> sessions_shown(const AppState& state) {
  std::vector<const Session*> shown;
  const Session* own = current_session(state);
  // A probe alone does not put an empty session, without roofs, before what is looked at.
  const bool measuring =
      state.worker.running.sweep && state.worker.running.device == state.spec.device;
  if (own != nullptr && (!own->points.empty() || measuring || state.documents.opened.empty())) {
    shown.push_back(own);
  }
  for (const OpenedFile& file : state.documents.opened) shown.push_back(&*file.session);
  return shown;
}

const engine::Lab& lab_on_screen(const AppState& state) {
  const engine::Lab* lab = engine::find_lab(state.spec.lab);
  return lab != nullptr ? *lab : *engine::labs().front();
}

std::string titles_of(const engine::Lab& lab, bool apart) {
  std::string titles;
  for (const engine::Chart& chart : engine::all_charts()) {
    if (chart.lab == lab.name && chart.apart == apart)
      titles += fmt::format("{}{}", titles.empty() ? "" : ", ", chart.title);
  }
  return titles;
}

bool has_apart(const engine::Lab& lab) { return !titles_of(lab, true).empty(); }

bool shows_apart(const AppState& state) {
  return state.look.apart && has_apart(lab_on_screen(state));
}

engine::Spec spec_on_screen(const AppState& state) {
  const engine::Spec spec = engine::read_by(lab_on_screen(state), state.spec);
  const engine::Place* device = current_device(state);
  return device != nullptr ? engine::suited(spec, *device) : spec;
}

bool runs_lab_on_screen(const AppState& state) {
  return state.worker.running.sweep && state.worker.running.lab == lab_on_screen(state).name;
}

const Session* lab_session(const AppState& state) {
  const auto shown = sessions_shown(state);
  const std::string_view lab = lab_on_screen(state).name;
  const auto found = std::ranges::find_if(shown, [&](const Session* session) {
    return std::ranges::find(session->points, lab, &engine::Point::lab) != session->points.end();
  });
  if (found != shown.end()) return *found;
  return shown.empty() ? nullptr : shown.front();
}

engine::LabVerdict lab_verdict(const AppState& state) {
  const engine::Lab& lab = lab_on_screen(state);
  const Session* session = lab_session(state);
  if (lab.verdict == nullptr || session == nullptr) return {};
  engine::Spec spec = state.spec;
  spec.lab = lab.name;
  const engine::Results results =
      engine::results_of(spec, *session, {}, !runs_lab_on_screen(state));
  engine::LabVerdict verdict = lab.verdict(results);
  // Nothing was measured: there is nothing to say yet.
  const bool nothing = results.points.empty() && verdict.rows.empty();
  return nothing ? engine::LabVerdict() : verdict;
}

std::vector<RoofsChoice> roofs_choices(const AppState& state) {
  std::vector<RoofsChoice> choices;
  if (const Session* own = current_session(state)) {
    choices.push_back({0, own, own->device.name});
  }
  for (std::size_t i = 0; i < state.documents.opened.size(); ++i) {
    const auto& [name, session, autosave] = state.documents.opened[i];
    if (session->roofs.empty()) continue;
    choices.push_back({i + 1, &*session, fmt::format("{}, {}", session->device.name, name)});
  }
  return choices;
}

std::optional<RoofsChoice> roofs_choice(const AppState& state) {
  const std::vector<RoofsChoice> choices = roofs_choices(state);
  if (choices.empty()) return std::nullopt;
  const auto chosen =
      std::ranges::find(choices, state.look.roofs_of,
                        [](const RoofsChoice& choice) { return std::optional(choice.number); });
  if (chosen != choices.end()) return *chosen;
  const auto has_own = [&](const RoofsChoice& choice) {
    return choice.number > 0 || state.worker.running.measures_roofs_of(state.spec.device) ||
           std::ranges::find(choice.session->roofs, engine::RoofSource::measured,
                             &engine::Roof::source) != choice.session->roofs.end();
  };
  const auto first = std::ranges::find_if(choices, has_own);
  if (first == choices.end()) return choices.front();
  // Of files the first in which all roofs were measured.
  const auto whole = std::find_if(first, choices.end(), [](const RoofsChoice& choice) {
    return !std::ranges::all_of(choice.session->points, in_sweep);
  });
  return first->number > 0 && whole != choices.end() ? *whole : *first;
}

const Session* roofs_session(const AppState& state) {
  const auto choice = roofs_choice(state);
  return choice ? choice->session : nullptr;
}

std::uint64_t version_of(const AppState& state, const Session& session) {
  for (const auto& [id, own] : state.documents.sessions) {
    if (&*own == &session) return own.version();
  }
  const OpenedFile* file = file_of(state, session);
  return file != nullptr ? file->session.version() : new_version();
}

std::vector<const Session*> sessions_on_screen(const AppState& state) {
  if (!lab_on_screen(state).lists_roofs) return sessions_shown(state);
  const Session* session = roofs_session(state);
  return session != nullptr ? std::vector{session} : std::vector<const Session*>{};
}

const OpenedFile* file_of(const AppState& state, const Session& session) {
  // Every session of thousands is asked for, and addresses within a vector ascend.
  const std::vector<OpenedFile>& opened = state.documents.opened;
  const auto found =
      std::ranges::lower_bound(opened, &session, std::less<const Session*>(),
                               [](const OpenedFile& file) { return &*file.session; });
  return found != opened.end() && &*found->session == &session ? &*found : nullptr;
}

std::optional<Case> cursor_case(const AppState& state) {
  const engine::Place* device = current_device(state);
  const engine::Spec& spec = state.spec;
  if (device == nullptr || spec.dtypes.empty()) return std::nullopt;
  Case what;
  what.family = spec.family();
  what.ops = spec.op_of(what.family);
  what.dtype = spec.dtypes.front();
  what.fusion = spec.fusion == engine::FusionChoice::unfused ? kernels::Fusion::unfused
                                                             : kernels::Fusion::fused;
  const bool matrix = includes(spec.units, kernels::Units::matrix) &&
                      runs(*device, what.family, what.op(), what.dtype, kernels::Units::matrix);
  what.units = matrix ? kernels::Units::matrix : kernels::Units::vector;
  what.repeat = state.cursor_repeat;
  what.data = spec.data;
  what.elements = spec.elements != 0 ? spec.elements
                                     : engine::default_elements(device->info, device->free_bytes,
                                                                what.family, what.dtype);
  return what;
}

bool apply(AppState& state, const engine::Event& event) {
  return std::visit(
      Overloaded{[&](const engine::DevicesOpened& e) {
                   apply_opened(state, e);
                   return true;
                 },
                 [&](const engine::SweepStarted& e) {
                   state.worker.running.total = std::max(state.worker.running.total, e.cases);
                   return apply_to_session(state, e.device, event);
                 },
                 [&](const engine::RoofMeasured& e) {
                   if (!apply_to_session(state, e.device, event)) return false;
                   note_change(state, e.device, false);
                   return true;
                 },
                 [&](const engine::PointMeasured& e) {
                   if (!apply_to_session(state, e.device, event)) return false;
                   note_change(state, e.device, !e.point.probe && state.worker.running.by_user);
                   return true;
                 },
                 [&](const engine::Progress& e) { return apply_progress(state, e); },
                 [&](const engine::Warning& e) {
                   notify_of_run(state, e.text);
                   return true;
                 },
                 [&](const engine::SweepFinished& e) {
                   apply_finished(state, e);
                   return true;
                 }},
      event);
}

void sweep_started(AppState& state, std::uint64_t number) {
  state.worker.running.sweep_number = number;
}

void probe_started(AppState& state, std::uint64_t number) {
  state.worker.running.probe_number = number;
}

bool tick(AppState& state, double now) {
  bool did = false;
  if (state.worker.restart_due && now >= *state.worker.restart_due) {
    state.worker.restart_due.reset();
    if (state.worker.running.sweep) run(state);
    did = true;
  }
  if (state.worker.probe_due && now >= *state.worker.probe_due) {
    state.worker.probe_due.reset();
    probe(state);
    did = true;
  }
  if (waits(state.look.tip) && now >= state.look.tip->due) {
    state.look.tip->shown = true;
    did = true;
  }
  cancel_left_picture(state);
  write_due_autosaves(state, now);
  return did;
}

std::optional<double> next_deadline(const AppState& state) {
  std::optional<double> first;
  const auto tip = waits(state.look.tip) ? std::optional(state.look.tip->due) : std::nullopt;
  for (const auto& due :
       {state.worker.probe_due, state.worker.restart_due, tip, next_autosave(state)}) {
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

void notify(AppState& state, std::string text, bool warning) {
  add_notice(state, {std::move(text), warning, state.clock, false});
}

const Notice* newest_notice(const AppState& state) {
  const std::string_view lab = lab_on_screen(state).name;
  for (auto at = state.notices.rbegin(); at != state.notices.rend(); ++at)
    if (at->lab.empty() || at->lab == lab) return at->seen ? nullptr : &*at;
  return nullptr;
}

void notify_briefly(AppState& state, std::string text, std::string brief) {
  add_notice(state, {std::move(text), false, state.clock, false, std::move(brief)});
}

}  // namespace ui
