// Below the plots: what the numbers mean, or the numbers themselves.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the current ImGui window: the row of choices, and the chosen one below it.
void draw_bottom(Ui&);

}  // namespace ui
