// What an exercise shows: its question, what the user has said, and how far that is from what was
// measured. Pure.
#pragma once

#include <optional>
#include <string>

#include "ui/model/app_state.hpp"

namespace ui {

/// The exercise that is on, or null.
const engine::Exercise* current_exercise(const AppState&);
/// It is on, and nothing is to be seen before the user has said what he expects.
bool hides_points(const AppState&);
/// Why this machine cannot answer it, in one sentence; empty: it can.
std::string why_not_exercise(const AppState&, const engine::Exercise&);

struct ExerciseText {
  std::string title;  ///< "Exercise 3 of 10: fuse four operators"
  std::string question;
  std::string said;       ///< "16 ops"; what to do where nothing was said
  std::string why_not{};  ///< why it cannot be measured now; empty: it can
  bool measuring = false;
  std::string result{};  ///< the distance; empty until it was measured
  std::string why{};     ///< explains the answer; empty while there is none
  std::optional<engine::MeasuredAnswer> measured{};
};
/// Requires that an exercise is on.
ExerciseText exercise_text(const AppState&);

}  // namespace ui
