// The list of labs at the left: grouped, each with its question; a click shows it, the triangle
// beside it starts it.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Whether the window is wide enough for the list; else the header has it as a menu.
bool lists_labs(const Ui&);

/// Fills the current ImGui window.
void draw_lab_list(Ui&);

}  // namespace ui
