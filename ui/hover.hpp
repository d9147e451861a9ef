// The pointer over the plots: the point nearest to it, the cross-hair that it draws through all
// panels, and the numbers beside it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/app_state.hpp"
#include "ui/figures_parts.hpp"
#include "ui/point_facts.hpp"

namespace ui {

/// Where a measured point lies in a panel, in data units.
plot::Vec place_of(const engine::Point&, Panel, XAxis);

/// The drawn points of a panel (of series that are not hidden, and probes) by their pixels.
class PointMap {
 public:
  /// Of the sessions that `measured` is about.
  PointMap(const Measured& measured, Panel, const View&, const plot::Transform&);
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
/// The one nearest to a pixel, if one lies within `radius` pixels: where what is drawn is no
/// measured point but a quotient of two. Points into the figure.
std::optional<FigurePoint> nearest_drawn(const plot::Figure&, const plot::Transform&,
                                         plot::Vec pixel, double radius);

/// What a point of the speed-up panel says: where it is, "4.1x", the ends of its interval.
std::vector<Reading> speedup_readings(const plot::Figure&, const FigurePoint&);

/// A value of an axis with its unit: "16 FLOP/byte", "1.25 TFLOP/s".
std::string on_axis(const plot::Axis&, double value);

/// A vertical line's x in another panel: repeat and FLOP/byte of a fused case are proportional.
/// Nothing when the axes have no such relation.
std::optional<double> carried_x(double x, Panel from, Panel to, XAxis,
                                const std::optional<kernels::Case>& at);

/// The repeat whose case lies nearest to x in a panel, 1 to kernels::max_repeat. Nothing where x
/// does not depend on it.
std::optional<std::uint64_t> repeat_at(double x, Panel, XAxis,
                                       const std::optional<kernels::Case>& at);

/// Everything worth reading off a point, shortest first.
std::vector<Reading> readings_of(const engine::Session&, const engine::Point&);

}  // namespace ui
