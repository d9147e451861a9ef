// The line at the bottom: device, what runs, progress, and the newest notice.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Fills the current ImGui window, one line.
void draw_status_bar(Ui&);

}  // namespace ui
