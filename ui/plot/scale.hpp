// Where values lie along an axis.
#pragma once

#include <cmath>

#include "ui/plot/figure.hpp"

namespace plot {

/// Data -> shares of the axes (0 at low, 1 at high), without the logarithms of the limits each
/// time.
class Scale {
 public:
  explicit Scale(const Axis& axis);
  /// NaN for what the axis cannot show.
  double operator()(double value) const {
    return share_along(log_ ? (value > 0 ? std::log(value) : NAN) : value);
  }
  /// Of a value's logarithm on a log axis, else of the value.
  double share_along(double along) const { return along * factor_ + offset_; }
  /// True for values that have a place on the axis or beyond its ends.
  bool can_show(double value) const { return std::isfinite(value) && (!log_ || value > 0); }

 private:
  bool log_;
  double factor_, offset_;
};

}  // namespace plot
