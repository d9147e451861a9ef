// Where the time went: the seconds of all points in each cell of the plane.
#include <cmath>
#include <map>
#include <utility>

#include "ui/figures/parts.hpp"

namespace ui {
namespace {

constexpr double cells_of_decade = 10;

int cell_of(double value) {
  return static_cast<int>(std::floor(std::log10(value) * cells_of_decade));
}
double edge_of(int cell) { return std::pow(10, cell / cells_of_decade); }

}  // namespace

void add_density(plot::Figure& figure, const Plotted& shown) {
  std::map<std::pair<int, int>, double> seconds;
  double most = 0;
  for (const Group& group : shown.groups) {
    if (group.earlier || shown.view.hidden.contains(group.id)) continue;
    for (const engine::Point* point : group.points) {
      const auto place = place_of(shown.chart, shown.row(group, *point));
      if (!place || !(place->x > 0) || !(place->y > 0)) continue;
      double& here = seconds[{cell_of(place->x), cell_of(place->y)}];
      here += point->seconds.median;
      most = std::max(most, here);
    }
  }
  for (const auto& [cell, here] : seconds) {
    const auto& [x, y] = cell;
    // A root: what took a hundredth of the time can still be seen.
    figure.cells.push_back({{edge_of(x), edge_of(y)},
                            {edge_of(x + 1), edge_of(y + 1)},
                            static_cast<float>(std::sqrt(here / most))});
  }
  if (!seconds.empty()) figure.keys.push_back({plot::Key::Sign::density, "where the time went"});
}

}  // namespace ui
