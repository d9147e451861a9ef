// The dialog in which a path is typed: open, save, export.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Draws the dialog of the state, when there is one, above everything else.
void draw_dialog(Ui&);

}  // namespace ui
