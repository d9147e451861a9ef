// The pointer over the plots: the point nearest to it, the cross-hair that it draws through all
// panels, and the numbers beside it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/figures/figures.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/app_state.hpp"

namespace ui {

/// The drawn points of a chart (of series that are not hidden, and probes) by their pixels.
class PointMap {
 public:
  PointMap(const Plotted&, const plot::Transform&);
  /// The one nearest to a pixel, if one lies within `radius` pixels.
  std::optional<Hovered> nearest(plot::Vec pixel, double radius) const;

 private:
  struct Spot {
    plot::Vec at;
    Hovered point;
  };
  std::vector<Spot> spots_;  // ascending in x
};

/// A point of a figure's series.
struct FigurePoint {
  const plot::Series* series = nullptr;
  std::size_t index = 0;

  plot::Vec at() const { return {series->points->x[index], series->points->y[index]}; }
};
/// The one nearest to a pixel, if one lies within `radius` pixels: where what is drawn is of a
/// comparison, or a quotient of two points. Points into the figure.
std::optional<FigurePoint> nearest_drawn(const plot::Figure&, const plot::Transform&,
                                         plot::Vec pixel, double radius);

/// What such a point says: where it is, "4.1x", the ends of its interval.
std::vector<Reading> readings_of(const engine::Metric&, const plot::Figure&, const FigurePoint&);

/// A bar or a span of a figure: whose it is, and what it says.
struct Solid {
  std::string name;
  std::vector<Reading> readings;
};
/// The one under a pixel; `y` is the metric of bars.
std::optional<Solid> solid_at(const plot::Figure&, const engine::Metric& y, const plot::Transform&,
                              plot::Vec pixel);

/// A value of an axis with its unit: "16 FLOP/byte", "1.25 TFLOP/s".
std::string on_axis(const plot::Axis&, double value);

/// A vertical line's x in another chart, where its axis is related to this one's: repeat and
/// FLOP/byte of a fused case are proportional.
std::optional<double> carried_x(double x, const engine::Chart& from, const engine::Chart& to,
                                const std::optional<kernels::Case>& at);

/// The repeat whose case lies nearest to x in a chart, 1 to kernels::max_repeat. Nothing where x
/// does not depend on it.
std::optional<std::uint64_t> repeat_at(double x, const engine::Chart&,
                                       const std::optional<kernels::Case>& at);

/// Everything worth reading off a point, shortest first; in a chart first what lies on its axes.
std::vector<Reading> readings_of(const engine::Session&, const engine::Point&);
std::vector<Reading> readings_of(const engine::Chart&, const engine::Session&,
                                 const engine::Point&);

/// Of a window in which a device was watched: the moment, what limited it, how much was used of
/// what; for the inspector also everything else that was counted.
std::vector<Reading> window_readings(const engine::Session&, const engine::Point&);
std::vector<Reading> window_facts(const engine::Session&, const engine::Point&);

}  // namespace ui
