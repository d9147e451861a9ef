// The four plots: drawing, zooming, panning, the cross-hair with its read-out, and the legend.
#pragma once

#include "ui/panels/widgets.hpp"

namespace ui {

/// Fills the current ImGui window.
void draw_plots(Ui&);

}  // namespace ui
