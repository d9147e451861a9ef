// The list of keys and of what the mouse does.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Does nothing while AppState::help is false.
void draw_help(Ui&);

}  // namespace ui
