#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/widgets/widgets.hpp"

namespace ui {

namespace {

/// A slider between the words at its ends, as shares of its range.
struct Track {
  float left, length, y;
  double span;  ///< the logarithm of the range
  double step;  ///< between two notches, as a share; 0: none

  double share_at(float x, float catches) const {
    const double share = std::clamp<double>((x - left) / length, 0, 1);
    if (step <= 0) return share;
    const double nearest = std::min(std::round(share / step) * step, 1.0);
    return std::abs(nearest - share) < catches / length ? nearest : share;
  }
};

/// The words at the ends; the track between them.
Track track_of(Ui& ui, const SliderRange& range, ImVec2 at, float width, float height) {
  const auto wide = [&](const std::string& words) {
    return words.empty() ? 0 : static_cast<float>(text_width(ui, words, small_size, false));
  };
  const float margin = ui.theme.px(8), y = at.y + height / 2;
  const float left = at.x + wide(range.low_text) + margin;
  const float right = at.x + width - wide(range.high_text) - margin;
  const double middle = y;
  text_at(ui, {at.x, middle}, range.low_text, small_size, false, ui.theme.text_dim);
  text_at(ui, {at.x + width, middle}, range.high_text, small_size, false, ui.theme.text_dim,
          plot::Align::right);
  const double span = std::log(range.high / range.low);
  return {left, std::max(right - left, 1.0F), y, span,
          range.notch > 1 ? std::log(range.notch) / span : 0};
}

void draw_track(Ui& ui, const Track& track, double share, float knob, plot::Colour fill,
                bool enabled) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float x = track.left + static_cast<float>(share) * track.length;
  const float y = track.y, half = ui.theme.px(2.5F);
  if (!enabled) fill = ui.theme.text_disabled;
  list.AddRectFilled({track.left, y - half}, {track.left + track.length, y + half},
                     colour_of(ui.theme.control), half);
  list.AddRectFilled({track.left, y - half}, {x, y + half}, colour_of(fill), half);
  const float below = y + half + ui.theme.px(2);
  const int marks = track.step > 0 ? static_cast<int>(std::floor(1 / track.step + 1e-9)) : -1;
  for (int i = 0; i <= marks; ++i) {
    const float mark = std::round(track.left + static_cast<float>(i * track.step) * track.length);
    list.AddLine({mark, below}, {mark, below + ui.theme.px(3)}, colour_of(ui.theme.text_disabled));
  }
  list.AddCircleFilled({x, y}, knob, colour_of(enabled ? ui.theme.text : ui.theme.text_disabled));
  list.AddCircleFilled({x, y}, knob - ui.theme.px(2.5F), colour_of(fill));
}

}  // namespace

bool log_slider(Ui& ui, const std::string& name, double& value, const SliderRange& range,
                float width, plot::Colour fill, const std::string& why_not,
                const std::string& help) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const plot::Rect box{at.x, at.y, width, ui.theme.pixels(20)};
  const bool enabled = why_not.empty();
  ImGui::BeginDisabled(!enabled);
  click_area(name, box);
  const bool active = enabled && ImGui::IsItemActive();
  const bool hot = enabled && (active || ImGui::IsItemHovered());
  ImGui::EndDisabled();
  tip_on_hover(ui, enabled ? help : why_not);
  const Track track = track_of(ui, range, at, width, ui.theme.px(20));
  const double margin = ui.theme.pixels(8);
  const plot::Rect grip{track.left - margin, box.y, track.length + 2 * margin, box.h};
  report(ui, name, {grip, enabled, std::to_string(value), active, true});
  double share = std::clamp(std::log(value / range.low) / track.span, 0.0, 1.0);
  const double before = value;
  if (active) share = track.share_at(ImGui::GetIO().MousePos.x, ui.theme.px(3));
  int steps = 0;
  if (enabled && has_focus(ui, name, box)) {
    steps = std::exchange(ui.state.look.keys.steps, 0);
    constexpr double fine = 1.0 / 32;  // of the whole range, where there are no notches
    share = std::clamp(share + steps * (track.step > 0 ? track.step : fine), 0.0, 1.0);
  }
  if (active || steps != 0) value = range.low * std::exp(share * track.span);
  draw_track(ui, track, share, ui.theme.px(hot ? 8.0F : 7.0F), fill, enabled);
  return (active || steps != 0) && value != before;
}

}  // namespace ui
