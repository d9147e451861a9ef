// What is drawn in the middle of the window and below it: measurements, and what they mean. Each
// fills the current ImGui window.
#pragma once

#include "ui/screen/legend.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

/// The plots of the lab, or the maximised one, with their legend and all that the pointer does.
void draw_plots(Ui&, const Places&);

/// Draws the legend in rows of `width` and takes what the pointer and the keys do to it; its
/// height. The entry under the pointer is Look::pointed_series.
double draw_legend(Ui&, const LegendStrip&, plot::Vec at, double width);

/// Everything that is known of the inspected point, beside the plots, in a window of its own.
void draw_inspector(Ui&, const plot::Rect& over);

/// The roofs of a device: their table, the memory levels, and the shapes that were tried.
void draw_roofs(Ui&);

/// Two sides to choose, what is said of them, the charts of their ratios, and the table.
void draw_comparison(Ui&);

/// The colour that is a regime's alone; dim text where none is known.
plot::Colour colour_of_regime(const Theme&, engine::Regime);
/// What limits the point, its shares of the roofs, and what would help.
void draw_verdict(Ui&);
/// The lab's claim beside what was measured.
void draw_claim(Ui&);

/// The table of measured points.
void draw_results(Ui&);
/// The filter and the copy buttons, on the row of choices above the table.
void draw_results_tools(Ui&);

}  // namespace ui
