#include "ui/model/zoom.hpp"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

// In decades: closer than a fiftieth tick labels repeat; beyond 24 nothing is to be seen.
constexpr double closest = 0.02;
constexpr double widest = 24;
constexpr double farthest = 30;  // decades from 1; doubles end at 308

Range from_decades(double low, double high) {
  const double length = std::clamp(high - low, closest, widest);
  const double middle = std::clamp((low + high) / 2, -farthest, farthest);
  return {std::pow(10.0, middle - length / 2), std::pow(10.0, middle + length / 2)};
}

/// On a linear axis no closer than where doubles, and tick labels, run out of digits.
Range from_numbers(double low, double high) {
  constexpr double farthest_number = 1e18;  // so that the least length is below the most
  const double middle = std::clamp((low + high) / 2, -farthest_number, farthest_number);
  const double least = std::max(std::abs(middle) * 1e-6, 1e-12), most = 1e15;
  const double length = std::clamp(high - low, least, most);
  return {middle - length / 2, middle + length / 2};
}

void put(const std::map<std::string, Range, std::less<>>& ranges, std::string_view key,
         plot::Axis& axis) {
  const auto range = ranges.find(key);
  // Bars can turn to a logarithmic scale, which has no 0: what was kept is fitted anew.
  if (range == ranges.end() || (axis.log && range->second.low <= 0)) return;
  axis.low = range->second.low;
  axis.high = range->second.high;
}

}  // namespace

std::string_view x_key(const engine::Chart& chart) {
  const engine::Metric* x = chart.x_metric();
  return x != nullptr && !x->name.empty() ? x->name : chart.id;
}

Range zoomed(Range range, double at, double factor, bool log) {
  if (!log) return from_numbers(at - (at - range.low) * factor, at + (range.high - at) * factor);
  const double low = std::log10(range.low), high = std::log10(range.high);
  const double anchor = std::log10(at);
  const double length = high - low;
  const double bounded = std::clamp(length * factor, closest, widest) / length;
  return from_decades(anchor - (anchor - low) * bounded, anchor + (high - anchor) * bounded);
}

Range panned(Range range, double share, bool log) {
  const double low = log ? std::log10(range.low) : range.low;
  const double high = log ? std::log10(range.high) : range.high;
  const double step = (high - low) * share;
  return (log ? from_decades : from_numbers)(low + step, high + step);
}

bool is_locked(const ZoomState& zoom, const engine::Chart& chart) {
  return zoom.x.contains(x_key(chart)) && zoom.y.contains(chart.id);
}

bool is_zoomed(const ZoomState& zoom) { return !zoom.x.empty() || !zoom.y.empty(); }

void apply_zoom(const ZoomState& zoom, const engine::Chart& chart, plot::Figure& figure) {
  put(zoom.x, x_key(chart), figure.x);
  put(zoom.y, chart.id, figure.y);
}

void fit_chart(ZoomState& zoom, const engine::Chart& chart) {
  zoom.x.erase(std::string(x_key(chart)));
  zoom.y.erase(std::string(chart.id));
}

}  // namespace ui
