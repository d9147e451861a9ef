// The legend above all charts: one row of series and signs, two where they need it.
#pragma once

#include "ui/screen/legend.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

/// Something in the strip and where it lies, from the strip's upper left corner.
struct LegendCell {
  enum class Kind { title, entry, key, more } kind = Kind::title;
  std::size_t group = 0, index = 0;  ///< of an entry; the index of a key
  std::string text;
  plot::Rect place;
};
struct LegendRows {
  std::vector<LegendCell> cells;
  double height = 0;
};

/// In rows of `width`: one, or two; what finds no room there is counted in a last cell.
LegendRows legend_rows(Ui&, const LegendStrip&, double width);

/// Draws it and takes what the pointer and the keys do to it. The entry under the pointer is
/// Look::pointed_series.
void draw_legend(Ui&, const LegendStrip&, const LegendRows&, plot::Vec at);

}  // namespace ui
