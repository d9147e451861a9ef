// What leaves the screen, and comes back with undo().
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/model/opened_spec.hpp"
#include "ui/screen/compared.hpp"

namespace ui {

namespace {

void keep_removed(AppState& state, Removed taken) {
  constexpr std::size_t most = 10;  // sessions may be large
  state.documents.removed.push_back(std::move(taken));
  if (state.documents.removed.size() > most)
    state.documents.removed.erase(state.documents.removed.begin());
}

/// Drops the autosave of what the user removed.
void clear_measured(AppState& state, engine::Session& session) {
  session.points.clear();
  session.left_out = 0;
  note_saved(state, state.spec.device);
  if (state.worker.running.any()) return;
  session.runs.clear();
  state.commands.emplace_back(ForgetRoofs{state.spec.device});
  std::erase_if(session.roofs, [](const engine::Roof& roof) {
    return roof.source == engine::RoofSource::measured;
  });
}

/// What was saved before it was cleared still is, unless more was measured since.
void put_back(Autosave& autosave, const Autosave& old, bool measured_since) {
  const bool was_saved = old.changes == old.saved;
  if (was_saved && !measured_since) return;
  ++autosave.changes;
  autosave.asked_for = autosave.asked_for || old.asked_for;
}

}  // namespace

void forget_places(AppState& state) {
  state.look.roofs_of.reset();
  state.look.hovered.reset();
  state.look.inspected.reset();
  state.look.results.selected.clear();
  state.look.results.last.reset();
  state.look.results.pointed.reset();
  if (state.look.comparing) state.look.comparing = usual_comparison(state);
}

void clear(AppState& state) {
  const auto found = state.documents.sessions.find(state.spec.device);
  const bool measured = found != state.documents.sessions.end();
  if (!state.documents.opened.empty() || (measured && !found->second->points.empty())) {
    Removed taken{.opened = state.documents.opened, .back = "The cleared data is back."};
    if (measured) {
      taken.device = state.spec.device;
      taken.session = *found->second;
      taken.autosave = state.documents.autosave[taken.device];
    }
    keep_removed(state, std::move(taken));
    notify(state, "Cleared. Ctrl+Z brings it back.", false);
  }
  if (measured) clear_measured(state, found->second.edit());
  for (const OpenedFile& file : state.documents.opened) remove_autosave(state, file);
  state.documents.opened.clear();
  forget_places(state);
  set_spec_from_opened(state);
  state.look.zoom = {};
  state.look.view.hidden.clear();
}

void close_opened(AppState& state, std::size_t index) {
  if (index >= state.documents.opened.size()) return;
  const auto at = state.documents.opened.begin() + static_cast<std::ptrdiff_t>(index);
  remove_autosave(state, *at);
  notify(state, fmt::format("Closed {}. Ctrl+Z brings it back.", at->name), false);
  const std::string back = fmt::format("{} is open again.", at->name);
  keep_removed(state, {.opened = {std::move(*at)}, .place = index, .back = back});
  state.documents.opened.erase(at);
  forget_places(state);
  set_spec_from_opened(state);
}

void undo(AppState& state) {
  if (state.documents.removed.empty()) return;
  Removed old = std::move(state.documents.removed.back());
  state.documents.removed.pop_back();
  if (const auto found = state.documents.sessions.find(old.device);
      found != state.documents.sessions.end()) {
    engine::Session& session = found->second.edit();
    put_back(state.documents.autosave[old.device], old.autosave, !session.points.empty());
    engine::Session since = std::exchange(session, std::move(old.session));
    for (engine::Run& run : since.runs) engine::add_run(session, std::move(run));
    for (engine::Point& point : since.points) engine::add_point(session, std::move(point));
    std::ranges::move(since.superseded_roofs, std::back_inserter(session.superseded_roofs));
    for (engine::Roof& roof : since.roofs) engine::add_roof(session, std::move(roof));
    session.left_out += since.left_out;
  }
  for (const OpenedFile& file : old.opened) write_autosave(state, file);
  const std::size_t place = std::min(old.place, state.documents.opened.size());
  state.documents.opened.insert(state.documents.opened.begin() + static_cast<std::ptrdiff_t>(place),
                                std::make_move_iterator(old.opened.begin()),
                                std::make_move_iterator(old.opened.end()));
  forget_places(state);
  set_spec_from_opened(state);
  notify(state, old.back, false);
}

}  // namespace ui
