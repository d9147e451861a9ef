#include "ui/screen/redraw.hpp"

#include <algorithm>

namespace ui {

RedrawLimits limits_while(Busy busy, bool device_draws_screen) {
  RedrawLimits limits;
  if (busy == Busy::no) return limits;
  if (device_draws_screen) return {busy == Busy::held ? 1.0 / 30 : 0.25, 0.25};
  limits.after_data = 0.1;
  return limits;
}

std::optional<double> RedrawPolicy::wait(double now) const {
  if (pressed_) return 0.0;
  if (input_frames_ == 0 && !data_frame_) return std::nullopt;
  double due = last_ + limits_.after_data;
  if (input_frames_ > 0) due = std::min(due, last_ + limits_.after_input);
  return std::max(0.0, due - now);
}

void RedrawPolicy::drew(double now) {
  input_frames_ = std::max(0, input_frames_ - 1);
  data_frame_ = pressed_ = false;
  last_ = now;
}

}  // namespace ui
