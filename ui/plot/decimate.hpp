// One decimator for screen and files: of a figure's series it leaves out what nobody could see.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "ui/plot/canvas.hpp"

namespace plot {

struct Scene;

/// What is drawn of the points of a series, in shares of the axes.
struct Curve {
  struct Spot {
    Vec at;
    double low = NAN, high = NAN;  ///< ends of the error bar; NaN: none
    bool flagged = false;
    float strength = 1;
  };
  std::size_t series = 0;               ///< which it is of
  std::vector<std::vector<Vec>> lines;  ///< broken where a point cannot be shown, or lies unseen
  std::vector<Spot> spots;
};

/// More points than this in a figure are a crowd.
inline constexpr std::size_t least_crowd = 1000;

/// The series in sight, in their order. Of the points of a line within one column of pixels the
/// first, the lowest, the highest and the last are left; of markers of one series, with their error
/// bars, one in each cell of half a radius. In a crowd all series that look alike share those
/// cells, the front one first, and a piece of a line that runs within a line's width of one like it
/// is left out. Needs the size of the plot.
std::vector<Curve> decimated(const Scene&);

}  // namespace plot
