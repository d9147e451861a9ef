// Unsaved measurements: when they are autosaved, and what closing the window asks. Pure: files are
// written by those who take the commands.
//
// Closing asks about sweeps that the user started and about sessions recovered after a crash.
// Everything else (the sweep of the start, points at the slider) is measured again in seconds and
// is dropped. A signal never asks: what the window would have asked about stays as an autosave
// file, which the next start offers to open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

/// The longest that a new point of a small session is not on disk, s. Large sessions are written
/// more seldom, since writing takes a core from what is measured.
inline constexpr double rest_before_autosave = 3;

/// A session that no file of the user holds.
struct Unsaved {
  SessionKey key;
  const engine::Session* session = nullptr;
  std::string title;
  bool asked_for = false;  ///< closing the window asks about it
};
std::vector<Unsaved> unsaved(const AppState&);

/// The session that a key names, or nullptr.
const engine::Session* session_of(const AppState&, const SessionKey&);

/// A point or roof of this device came in.
void note_change(AppState&, const std::string& device, bool asked_for);
/// A sweep of this device ended: autosave its measurements immediately.
void note_end(AppState&, const std::string& device);
/// A file of the user holds the session as it is now, or the user wants it no more.
void note_saved(AppState&, const SessionKey&);

/// Asks for the autosave files that are due.
void write_due_autosaves(AppState&, double now);
/// When write_due_autosaves() has something to do next.
std::optional<double> next_autosave(const AppState&);

/// Asks for the autosave file of an opened session, where no file of the user holds it.
void write_autosave(AppState&, const OpenedFile&);
/// Removes that file: the session is closed.
void remove_autosave(AppState&, const OpenedFile&);

/// Shows what windows that did not close have left, beside what is on screen.
void open_recovered(AppState&);

/// Before the end that the user wanted: drops what is not saved. Recovered sessions stay autosave
/// files until they are saved, closed or discarded.
void end_in_order(AppState&);
/// Before the end that a signal or a failure brings: writes what closing would ask about for the
/// next start, even if it was written before: that may have failed.
void end_at_once(AppState&);

}  // namespace ui
