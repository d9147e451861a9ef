// Lists that scroll: a child window of equal rows, drawn with the plots' text.
#pragma once

#include <functional>

#include "ui/widgets/widgets.hpp"

namespace ui {

/// One cell's text in a row. `right` aligns it to the column's right edge.
struct Cell {
  double x = 0, width = 0;
  std::string text;
  plot::Colour colour;
  bool bold = false;
  bool right = false;
};

inline constexpr float row_height = 22;  ///< pixels at scale 1

/// A list in `where`: `row(i, place)` draws row i into its place; those out of sight are not drawn.
void list_rows(Ui&, const char* name, const plot::Rect& where, std::size_t count,
               const std::function<void(std::size_t, const plot::Rect&)>& row);

/// Elided text in the middle of a row's height; x counts from the row's left edge.
void draw_cell(Ui&, const plot::Rect& row, const Cell&);

/// The last item's place for the UI map, when all of it can be seen and clicked.
void report_row(Ui&, const std::string& name, const std::string& value);

}  // namespace ui
