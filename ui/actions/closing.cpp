// Closing the window, and what it asks first.
#include <algorithm>
#include <iterator>

#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"

namespace ui {

namespace {

/// Whether undo() would bring back what is not in a file.
bool held_unsaved(const Removed& removed) {
  const bool sweep = !removed.session.points.empty() && removed.autosave.asked_for &&
                     removed.autosave.changes > removed.autosave.saved;
  return sweep || std::ranges::any_of(removed.opened, [](const OpenedFile& file) {
           return !file.autosave.empty();
         });
}

/// What the user removed, perhaps by mistake, and nobody could bring back later. After a new sweep
/// on the same device it was no mistake, and both would be one session.
void restore_unsaved(AppState& state) {
  if (!state.dialogs.ask_before_closing) return;
  std::vector<Removed>& removed = state.documents.removed;
  const auto is_lost = [&](const Removed& one) {
    const engine::Session* since = session_of(state, one.device);
    return held_unsaved(one) && (since == nullptr || since->points.empty());
  };
  while (true) {
    const auto newest = std::ranges::find_if(removed.rbegin(), removed.rend(), is_lost);
    if (newest == removed.rend()) return;
    std::rotate(std::prev(newest.base()), newest.base(), removed.end());
    undo(state);
  }
}

void save_first(AppState& state) {
  stop(state);  // points that still came in would make it ask again
  for (const Unsaved& one : unsaved(state)) {
    if (!one.asked_for) continue;
    show_save_of(state, one.key);
    state.dialogs.file->then_close = true;
    return;
  }
}

}  // namespace

void close_window(AppState& state) {
  restore_unsaved(state);
  if (state.dialogs.ask_before_closing &&
      std::ranges::any_of(unsaved(state), &Unsaved::asked_for)) {
    if (state.look.presenting) present(state);
    state.dialogs.closing = CloseAnswer::save;
    // One question at a time; a picture that is being made is not given up for it.
    state.dialogs.drawing.reset();
    state.dialogs.file.reset();
    state.dialogs.palette.reset();
    state.dialogs.help = false;
  } else {
    state.quit = true;
  }
}

void answer_closing(AppState& state, CloseAnswer answer) {
  state.dialogs.closing.reset();
  if (answer == CloseAnswer::save) save_first(state);
  if (answer != CloseAnswer::discard) return;
  for (const Unsaved& one : unsaved(state)) {
    if (one.asked_for) note_saved(state, one.key);
  }
  state.quit = true;
}

}  // namespace ui
