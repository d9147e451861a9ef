#include "ui/plot/figure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/plot/ticks.hpp"

namespace plot {
namespace {

void add(Range& range, const Axis& axis, double value) {
  if (axis.can_show(value)) range.add(value);
}

struct Ranges {
  Range x, y;
};

void add_spot(const Axis& x_axis, const Axis& y_axis, double x, double y, Ranges& ranges) {
  if (!x_axis.can_show(x) || !y_axis.can_show(y)) return;
  ranges.x.add(x);
  ranges.y.add(y);
}

/// With their error bars.
void add_points(const Axis& x_axis, const Axis& y_axis, const Points& points, Ranges& ranges) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    add_spot(x_axis, y_axis, points.x[i], points.y[i], ranges);
    for (const std::vector<double>* ends : {&points.low, &points.high}) {
      if (i < ends->size()) add_spot(x_axis, y_axis, points.x[i], (*ends)[i], ranges);
    }
  }
}

Ranges ranges_of_points(const Figure& figure) {
  Ranges ranges;
  for (const Series& series : figure.series) {
    if (series.hidden) continue;
    for (const Span& span : series.spans) {
      add(ranges.x, figure.x, span.begin);
      add(ranges.x, figure.x, span.end);
    }
    const bool bars = series.bar > 0;
    if (!bars && figure.x.log && figure.y.log) {
      ranges.x.add(series.points.log_x());
      ranges.y.add(series.points.log_y());
      continue;
    }
    add_points(figure.x, figure.y, *series.points, ranges);
    // Bars grow from zero, or from below the shortest where the axis has none.
    if (bars && !figure.y.log && series.points->size() > 0) ranges.y.add(0);
  }
  return ranges;
}

double forward(const Axis& axis, double value) { return axis.log ? std::log(value) : value; }
double backward(const Axis& axis, double value) { return axis.log ? std::exp(value) : value; }

/// The heights of a line over the range of x; between its points it is straight on the scales.
void add_heights(const Figure& figure, const Roof& roof, const Range& within, Range& heights) {
  const std::size_t size = std::min(roof.x.size(), roof.y.size());
  for (std::size_t i = 0; i + 1 < size; ++i) {
    if (!figure.x.can_show(roof.x[i]) || !figure.x.can_show(roof.x[i + 1]) ||
        !figure.y.can_show(roof.y[i]) || !figure.y.can_show(roof.y[i + 1])) {
      continue;
    }
    const double x0 = forward(figure.x, roof.x[i]), x1 = forward(figure.x, roof.x[i + 1]);
    const double y0 = forward(figure.y, roof.y[i]), y1 = forward(figure.y, roof.y[i + 1]);
    for (const double edge : {within.low, within.high}) {
      const double at = std::clamp(forward(figure.x, edge), std::min(x0, x1), std::max(x0, x1));
      if (std::abs(at - forward(figure.x, edge)) > 1e-9) continue;
      const double share = x1 != x0 ? (at - x0) / (x1 - x0) : 0;
      add(heights, figure.y, backward(figure.y, y0 + share * (y1 - y0)));
    }
    for (const std::size_t end : {i, i + 1}) {
      if (roof.x[end] >= within.low && roof.x[end] <= within.high)
        add(heights, figure.y, roof.y[end]);
    }
  }
}

/// Widens to at least a decade (or a unit range) and adds the margins, shares of the range.
void set_limits(Axis& axis, const Range& range, double margin_low, double margin_high) {
  double low = forward(axis, range.low), high = forward(axis, range.high);
  const double least = axis.log ? std::log(10.0) : std::max(std::abs(low) * 0.1, 1e-9);
  if (high - low < least) {
    const double middle = (low + high) / 2;
    low = middle - least / 2;
    high = middle + least / 2;
  }
  const double size = high - low;
  axis.low = backward(axis, low - margin_low * size);
  axis.high = backward(axis, high + margin_high * size);
  axis = sane(axis);
}

/// What grows from zero stands on the axis, with room above for its labels.
void fit_bars(Figure& figure, const Range& heights) {
  Axis& y = figure.y;
  const bool any = std::ranges::any_of(figure.series, [](const Series& s) { return s.bar > 0; });
  if (!any || heights.empty()) return;
  if (y.log) {
    y.low /= 2;
    y.high *= std::pow(y.high / y.low, 0.06);
  } else if (heights.low >= 0) {
    y.low = 0;
    y.high = heights.high > 0 ? 1.14 * heights.high : 1;
  }
}

double log_of(double value) { return value > 0 ? std::log(value) : NAN; }

}  // namespace

SharedPoints::SharedPoints() {
  static const auto none = std::make_shared<const Kept>();
  kept_ = none;
}

SharedPoints::SharedPoints(Points points) {
  Kept kept{std::move(points), {}, {}, {}, false};
  const Axis log;
  Ranges ranges;
  add_points(log, log, kept.points, ranges);
  kept.log_x = ranges.x;
  kept.log_y = ranges.y;
  kept.logs.reserve(kept.points.size());
  for (std::size_t i = 0; i < kept.points.size(); ++i)
    kept.logs.push_back({log_of(kept.points.x[i]), log_of(kept.points.y[i])});
  kept.any_flagged = std::ranges::find(kept.points.flagged, char{1}) != kept.points.flagged.end();
  kept_ = std::make_shared<const Kept>(std::move(kept));
}

void fit(Figure& figure) {
  Ranges ranges = ranges_of_points(figure);
  const bool has_points = !ranges.y.empty() || !ranges.x.empty();
  for (const Mark& mark : figure.marks) add_spot(figure.x, figure.y, mark.x, mark.y, ranges);
  for (const Cell& cell : figure.cells)
    for (const Vec& corner : {cell.low, cell.high})
      add_spot(figure.x, figure.y, corner.x, corner.y, ranges);
  if (!has_points) {
    // Roofs have no ends of their own: the limits that are there say how far to look along them.
    figure.x = sane(figure.x);
    add(ranges.x, figure.x, figure.x.low);
    add(ranges.x, figure.x, figure.x.high);
  }
  const bool lanes = !figure.y.words.empty();
  const double margin = lanes ? 0.01 : has_points ? 0.05 : 0;
  set_limits(figure.x, ranges.x, margin, margin);
  Range heights;
  for (const Roof& roof : figure.roofs) {
    if (!roof.thin) add_heights(figure, roof, {figure.x.low, figure.x.high}, heights);
    if (roof.ghost) add_heights(figure, roof, {figure.x.low, figure.x.high}, ranges.y);
  }
  if (!heights.empty()) {
    add(ranges.y, figure.y, heights.high);
    // Beside points the feet of roofs would only push the picture up.
    if (!has_points) add(ranges.y, figure.y, heights.low);
  }
  // Room above the highest roof for its label.
  if (!ranges.y.empty()) set_limits(figure.y, ranges.y, 0.07, 0.1);
  fit_bars(figure, ranges.y);
  for (Axis* axis : {&figure.x, &figure.y}) {
    if (axis->words.empty()) continue;
    axis->low = -0.5;  // half a word beyond the first and the last one
    axis->high = static_cast<double>(axis->words.size()) - 0.5;
  }
}

}  // namespace plot
