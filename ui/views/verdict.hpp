// The verdict below the plots: regime, shares of the roofs, and what would help.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the current ImGui window.
void draw_verdict(Ui&);

}  // namespace ui
