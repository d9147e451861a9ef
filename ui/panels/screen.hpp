// One whole frame of the window: the panels in their places, and the keyboard.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Between ImGui::NewFrame() and ImGui::Render().
void draw_screen(Ui&);

}  // namespace ui
