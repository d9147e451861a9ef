// The four plots: drawing, zooming, panning, the cross-hair with its read-out, and the legend.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the current ImGui window with all four, or with the maximised one.
void draw_plots(Ui&, const Places&);

}  // namespace ui
