// When the window draws: only after input or new data, a few frames each, and seldom while the
// device that draws is being measured. Pure: time comes in as seconds of any steady clock.
#pragma once

#include <algorithm>
#include <optional>

namespace ui {

/// Least seconds between two frames.
struct RedrawLimits {
  double after_input = 1.0 / 60;
  double after_data = 1.0 / 60;
};

/// Whether the worker measures meanwhile; `held`: only the point of a slider that the user holds.
enum class Busy { no, held, yes };

/// Drawing costs a measured GPU 10-15 % of its score at 60 frames a second (measured by clpeak's
/// authors), and a CPU that draws in software (`device_draws_screen` too) a core for as long as
/// each frame takes. Where something else draws, only the figures' own work is left to save. The
/// slider in the user's hand must not stick; its probe is about to be replaced.
inline RedrawLimits limits_while(Busy busy, bool device_draws_screen) {
  RedrawLimits limits;
  if (busy == Busy::no) return limits;
  if (device_draws_screen) return {busy == Busy::held ? 1.0 / 30 : 0.25, 0.25};
  limits.after_data = 0.1;
  return limits;
}

class RedrawPolicy {
 public:
  void limit(RedrawLimits limits) { limits_ = limits; }
  /// Input wants several frames: widgets settle over the next ones.
  void input() { input_frames_ = 3; }
  /// A key or button is answered at once: a sweep that is to stop no longer gains from waiting.
  void press() { pressed_ = true; }
  /// New data wants one.
  void data() { data_frame_ = true; }
  /// Seconds until the next frame, 0 = now; nothing when no frame is wanted.
  std::optional<double> wait(double now) const {
    if (pressed_) return 0.0;
    if (input_frames_ == 0 && !data_frame_) return std::nullopt;
    double due = last_ + limits_.after_data;
    if (input_frames_ > 0) due = std::min(due, last_ + limits_.after_input);
    return std::max(0.0, due - now);
  }
  void drew(double now) {
    input_frames_ = std::max(0, input_frames_ - 1);
    data_frame_ = pressed_ = false;
    last_ = now;
  }

 private:
  RedrawLimits limits_;
  int input_frames_ = 3;  // the first frames need no input
  bool data_frame_ = false;
  bool pressed_ = false;
  double last_ = -1e9;
};

}  // namespace ui
