// The verdict of the lab on screen: its claim, and what this machine says, as a table.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the rest of the current ImGui window.
void draw_claim(Ui&);

}  // namespace ui
