// The line above the plots: what fills the middle of the window, and how it is shown.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the current ImGui window, one line.
void draw_header(Ui&);

}  // namespace ui
