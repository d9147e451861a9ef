// The left panel: everything that decides what is measured and how it is shown.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the current ImGui window.
void draw_controls(Ui&);

}  // namespace ui
