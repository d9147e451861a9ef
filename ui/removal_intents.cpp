// What leaves the screen, and comes back with undo().
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/following.hpp"
#include "ui/intents.hpp"
#include "ui/keeping.hpp"

namespace ui {

namespace {

void keep_removed(AppState& state, Removed taken) {
  constexpr std::size_t most = 10;  // sessions may be large
  state.removed.push_back(std::move(taken));
  if (state.removed.size() > most) state.removed.erase(state.removed.begin());
}

/// What the user wanted gone is not kept against a crash either.
void clear_measured(AppState& state, engine::Session& session) {
  session.points.clear();
  session.left_out = 0;
  note_saved(state, state.spec.device);
  if (state.running.any()) return;
  state.commands.emplace_back(ForgetRoofs{state.spec.device});
  std::erase_if(session.roofs, [](const engine::Roof& roof) {
    return roof.source == engine::RoofSource::measured;
  });
}

/// Points into sessions that are not where they were.
void forget_places(AppState& state) {
  state.roofs_of.reset();
  state.hovered.reset();
  state.inspected.reset();
  state.results.selected.clear();
  state.results.last.reset();
  state.results.pointed.reset();
}

/// What was saved before it was cleared still is, unless more was measured since.
void put_back(Keeping& keeping, const Keeping& old, bool measured_since) {
  const bool was_saved = old.changes == old.saved;
  if (was_saved && !measured_since) return;
  ++keeping.changes;
  keeping.asked_for = keeping.asked_for || old.asked_for;
}

}  // namespace

void clear(AppState& state) {
  const auto found = state.sessions.find(state.spec.device);
  const bool measured = found != state.sessions.end();
  if (!state.opened.empty() || (measured && !found->second->points.empty())) {
    Removed taken{measured ? state.spec.device : std::string(),
                  {},
                  {},
                  state.opened,
                  0,
                  "What was cleared is back."};
    if (measured) {
      taken.session = *found->second;
      taken.keeping = state.keeping[taken.device];
    }
    keep_removed(state, std::move(taken));
    notify(state, "Cleared. Ctrl+Z brings it back.", false);
  }
  if (measured) clear_measured(state, found->second.edit());
  for (const OpenedFile& file : state.opened) retire_opened(state, file);
  state.opened.clear();
  forget_places(state);
  follow_opened(state);
  state.zoom = {};
  state.view.hidden.clear();
}

void close_opened(AppState& state, std::size_t index) {
  if (index >= state.opened.size()) return;
  const auto at = state.opened.begin() + static_cast<std::ptrdiff_t>(index);
  retire_opened(state, *at);
  notify(state, fmt::format("Closed {}. Ctrl+Z brings it back.", at->name), false);
  const std::string back = fmt::format("{} is open again.", at->name);
  keep_removed(state, {{}, {}, {}, {std::move(*at)}, index, back});
  state.opened.erase(at);
  forget_places(state);
  follow_opened(state);
}

void undo(AppState& state) {
  if (state.removed.empty()) return;
  Removed old = std::move(state.removed.back());
  state.removed.pop_back();
  if (const auto found = state.sessions.find(old.device); found != state.sessions.end()) {
    engine::Session& session = found->second.edit();
    put_back(state.keeping[old.device], old.keeping, !session.points.empty());
    engine::Session since = std::exchange(session, std::move(old.session));
    for (engine::Point& point : since.points) engine::add_point(session, std::move(point));
    for (engine::Roof& roof : since.roofs) engine::add_roof(session, std::move(roof));
    session.left_out += since.left_out;
  }
  for (const OpenedFile& file : old.opened) keep_again(state, file);
  const std::size_t place = std::min(old.place, state.opened.size());
  state.opened.insert(state.opened.begin() + static_cast<std::ptrdiff_t>(place),
                      std::make_move_iterator(old.opened.begin()),
                      std::make_move_iterator(old.opened.end()));
  forget_places(state);
  follow_opened(state);
  notify(state, old.back, false);
}

}  // namespace ui
