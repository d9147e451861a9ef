#include "ui/zoom.hpp"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

// Log axes are drawn in decades: closer than a fiftieth of one, tick labels repeat; beyond 24,
// nothing is to be seen.
constexpr double closest = 0.02;
constexpr double widest = 24;
constexpr double farthest = 30;  // decades from 1; doubles end at 308

Range from_decades(double low, double high) {
  const double length = std::clamp(high - low, closest, widest);
  const double middle = std::clamp((low + high) / 2, -farthest, farthest);
  return {std::pow(10.0, middle - length / 2), std::pow(10.0, middle + length / 2)};
}

void put(const std::optional<Range>& range, plot::Axis& axis) {
  if (!range) return;
  axis.low = range->low;
  axis.high = range->high;
}

}  // namespace

std::optional<Range>& ZoomState::x_of(Panel panel) {
  if (panel == Panel::levels) return levels_x;
  return panel == Panel::roofline ? roofline_x : shared_x;
}

const std::optional<Range>& ZoomState::x_of(Panel panel) const {
  if (panel == Panel::levels) return levels_x;
  return panel == Panel::roofline ? roofline_x : shared_x;
}

Range zoomed(Range range, double at, double factor) {
  const double low = std::log10(range.low);
  const double high = std::log10(range.high);
  const double anchor = std::log10(at);
  const double length = high - low;
  const double bounded = std::clamp(length * factor, closest, widest) / length;
  return from_decades(anchor - (anchor - low) * bounded, anchor + (high - anchor) * bounded);
}

Range panned(Range range, double share) {
  const double low = std::log10(range.low);
  const double high = std::log10(range.high);
  const double step = (high - low) * share;
  return from_decades(low + step, high + step);
}

bool is_locked(const ZoomState& zoom, Panel panel) {
  return zoom.x_of(panel) && zoom.y[index_of(panel)];
}

bool is_zoomed(const ZoomState& zoom) {
  return zoom.roofline_x || zoom.shared_x || zoom.levels_x ||
         std::ranges::any_of(zoom.y, [](const auto& range) { return range.has_value(); });
}

void apply_zoom(const ZoomState& zoom, Panel panel, plot::Figure& figure) {
  put(zoom.x_of(panel), figure.x);
  put(zoom.y[index_of(panel)], figure.y);
}

void fit_panel(ZoomState& zoom, Panel panel) {
  zoom.x_of(panel).reset();
  zoom.y[index_of(panel)].reset();
}

}  // namespace ui
