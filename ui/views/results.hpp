// The table of measured points below the plots.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// The filter and the copy buttons, on the row of choices above the table.
void draw_results_tools(Ui&);

/// Fills the rest of the current ImGui window with the table.
void draw_results(Ui&);

}  // namespace ui
