// Where the ticks of an axis lie and what they say. Pure functions of numbers.
#pragma once

#include <string>
#include <vector>

#include "ui/plot/figure.hpp"

namespace plot {

struct Tick {
  double value = 0;
  std::string label;  ///< empty: a grid line only
  double weight = 1;  ///< 1 for decades and labelled ticks; minor ones fade out as they crowd; 0:
                      ///< no line, as beside words
};

struct Ticks {
  std::vector<Tick> ticks;  ///< ascending, all within the axis
  std::string unit;  ///< the axis' unit with the prefix that the labels leave out ("GFLOP/s")
};

/// The same axis with limits that can be drawn: finite, low < high, and positive when log.
Axis sane(Axis);

/// Ticks for an axis `length` pixels long on which two labels need a distance of `label_space`.
Ticks ticks_of(const Axis&, double length, double label_space);

/// "Performance (GFLOP/s)".
std::string title_of(const Axis&, const Ticks&);

}  // namespace plot
