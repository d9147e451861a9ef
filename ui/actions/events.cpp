#include "ui/actions/events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/roofs/roofs.hpp"
#include "engine/session/session_file.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/model/availability.hpp"
#include "ui/model/opened_spec.hpp"

namespace ui {

using engine::Session;

namespace {

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

/// Said by a run: of the lab that runs, or of the slider's.
void notify_of_run(AppState& state, std::string text) {
  const Running& running = state.worker.running;
  add_notice(state, {.text = std::move(text), .lab = running.sweep ? running.lab : state.spec.lab});
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

bool take(AppState& state, const engine::DevicesOpened& event, const engine::Event&) {
  state.worker.looking = false;
  for (const engine::Place& device : event.usable) add_device(state, device);
  for (const kernels::Unavailable& missing : event.unavailable) {
    state.worker.unavailable.push_back(missing);
    notify(state, fmt::format("{}: {}", missing.id, missing.why), false);
  }
  choose_first_device(state);
  set_spec_from_opened(state);
  adapt_to_device(state);
  if (state.look.presenting) return true;  // it runs afterwards
  if (state.worker.run_when_ready) {
    run(state);
    state.worker.running.by_user = false;
  }
  state.worker.run_when_ready = false;
  return true;
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

bool take(AppState& state, const engine::Progress& event, const engine::Event&) {
  if (event.sweep != state.worker.running.sweep_number || !state.worker.running.sweep) return false;
  state.worker.running.progress = event;
  return true;
}

bool take(AppState& state, const engine::SweepFinished& event, const engine::Event& whole) {
  if (apply_to_session(state, event.device, whole)) note_change(state, event.device, false);
  Running& running = state.worker.running;
  if (event.end == engine::End::failed) notify_of_run(state, event.why);
  if (event.probe && event.sweep == running.probe_number) running.probe = false;
  if (!event.probe && event.sweep == running.sweep_number) {
    running.sweep = false;
    running.progress.now.clear();
    note_end(state, running.device);
    answer_exercise(state, event.end == engine::End::complete);
    run_next_lab(state);
  }
  return true;
}

bool take(AppState& state, const engine::Warning& event, const engine::Event&) {
  notify_of_run(state, event.text);
  return true;
}

bool take(AppState& state, const engine::SweepStarted& started, const engine::Event& event) {
  std::size_t& total = state.worker.running.progress.total;
  total = std::max(total, started.cases);
  return apply_to_session(state, started.device, event);
}

bool take(AppState& state, const engine::RoofMeasured& measured, const engine::Event& event) {
  if (!apply_to_session(state, measured.device, event)) return false;
  note_change(state, measured.device, false);
  return true;
}

bool take(AppState& state, const engine::PointMeasured& measured, const engine::Event& event) {
  // A recording plays what it holds, of one lab after the other.
  Running& running = state.worker.running;
  if (measured.sweep == running.sweep_number && !measured.point.probe)
    running.lab = measured.point.lab;
  if (!apply_to_session(state, measured.device, event)) return false;
  note_change(state, measured.device, !measured.point.probe && running.by_user);
  return true;
}

bool waits(const std::optional<Tip>& tip) { return tip && !tip->shown && !tip->spent; }

}  // namespace

bool apply(AppState& state, const engine::Event& event) {
  return std::visit([&](const auto& one) { return take(state, one, event); }, event);
}

bool tick(AppState& state, double now) {
  bool did = false;
  if (state.worker.restart_due && now >= *state.worker.restart_due && !state.look.presenting) {
    state.worker.restart_due.reset();
    if (state.worker.running.sweep) {
      notify(state, "The settings have changed: the sweep begins again with them.", false);
      run(state);
    }
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
  const auto restart = state.look.presenting ? std::nullopt : state.worker.restart_due;
  for (const auto& due : {state.worker.probe_due, restart, tip, next_autosave(state)}) {
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

}  // namespace ui
