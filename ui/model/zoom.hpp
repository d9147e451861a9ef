// Zooming and panning of axes as plain numbers. Pure.
#pragma once

#include <map>
#include <string>

#include "engine/charts/chart.hpp"
#include "ui/plot/figure.hpp"

namespace ui {

/// Limits of one axis in data units.
using plot::Range;

/// What the user has zoomed; absent = fitted. Charts over the same metric share their x axis.
struct ZoomState {
  std::map<std::string, Range, std::less<>> x;  ///< by x_key()
  std::map<std::string, Range, std::less<>> y;  ///< by the chart's id

  bool operator==(const ZoomState&) const = default;
};
/// What a chart's x axis is called among those that charts share.
std::string_view x_key(const engine::Chart&);

/// The range after zooming by `factor` (< 1 = closer); `at` keeps its place on the axis.
Range zoomed(Range, double at, double factor, bool log = true);
/// The range after moving by `share` of its length.
Range panned(Range, double share, bool log = true);

/// Whether the user has set both axes of a chart, or any axis of any.
bool is_locked(const ZoomState&, const engine::Chart&);
bool is_zoomed(const ZoomState&);

/// Puts the user's limits on a figure that was fitted to its data.
void apply_zoom(const ZoomState&, const engine::Chart&, plot::Figure&);
/// Forgets the limits of one chart.
void fit_chart(ZoomState&, const engine::Chart&);

}  // namespace ui
