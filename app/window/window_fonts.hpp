// The window's fonts: DejaVu Sans from the system, else ImGui's built-in one.
#pragma once

#include "ui/widgets/imgui_canvas.hpp"

namespace app {

/// Replaces ImGui's fonts by those of the window's sizes at this scale.
ui::Fonts make_fonts(float scale);

}  // namespace app
