// What is measured and not saved yet: when it is kept against a crash, and what closing the window
// asks. Pure: files are written by whoever takes the commands.
//
// Whoever only started the window and looked loses nothing that another start does not bring, and a
// question at each end would be in the way. So the window asks only about sweeps that the user
// started and about sessions recovered after a crash. Everything else that was not saved (the sweep
// of the start, points at the slider) becomes the last session, which the Open dialog offers. A
// signal never asks: what the window would have asked about stays as a recovery file, which the
// next start opens; the rest becomes the last session here too, since who ends each start with
// Ctrl-C would else find one more sweep on screen at the next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/app_state.hpp"

namespace ui {

/// The longest that a new point of a small session is not on disk, s. Large sessions are written
/// more seldom, since writing takes a core from what is measured.
inline constexpr double rest_before_keeping = 3;

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
/// A sweep of this device ended: what it measured is kept at once.
void note_end(AppState&, const std::string& device);
/// A file of the user holds the session as it is now, or the user wants it no more.
void note_saved(AppState&, const SessionKey&);

/// Asks for the recovery files that are due.
void keep_changes(AppState&, double now);
/// When keep_changes() has something to do next.
std::optional<double> next_keeping(const AppState&);

/// Gives an opened session that no file of the user holds a recovery file of its own.
void keep_opened(AppState&, OpenedFile&);
/// An opened session is closed: where no file of the user holds it, it becomes a last session.
void retire_opened(AppState&, const OpenedFile&);
/// It is opened again, and so is its recovery file.
void keep_again(AppState&, const OpenedFile&);

/// The user wants to close the window: closes it, or asks first.
void close_window(AppState&);
/// The answer to that question.
void answer_closing(AppState&, CloseAnswer);
/// Before the end that the user wanted: what is not saved becomes the last session. Recovered
/// sessions stay recovery files until they are saved, closed or discarded.
void end_in_order(AppState&);
/// Before the end that a signal or a failure brings: the same for what closing does not ask about;
/// the rest is written for the next start, even if it was before: that may have failed.
void end_at_once(AppState&);

}  // namespace ui
