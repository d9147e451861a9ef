// The view of the device's ceilings: a table of all roofs, the shapes tried for one of them, and
// the memory levels.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the current ImGui window.
void draw_roofs(Ui&);

}  // namespace ui
