// The command palette (Ctrl+P): every action by name.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Shows AppState::palette while there is one.
void draw_palette(Ui&);

}  // namespace ui
