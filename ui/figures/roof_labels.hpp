// What the lines of roofs are called: one label where several lie on one another. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "ui/plot/figure.hpp"

namespace ui {

/// Whose roofs they are.
struct RoofOwner {
  std::string device;  ///< empty where there is but one
  bool ghost = false;
};

/// True where the lines of two roofs lie on one another.
bool is_one_line(const engine::Roof&, const engine::Roof&);

/// Names each of the lines after its roof. Of lines that lie on one another the first has the label
/// of all, and where they are of several dtypes, none has the colour of one. The datasheet's rate
/// stands in the label of the measured line that it nearly touches.
void name_lines(std::vector<plot::Roof>& lines, const std::vector<const engine::Roof*>&,
                const RoofOwner&);

}  // namespace ui
