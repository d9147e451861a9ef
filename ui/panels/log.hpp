// The log (Ctrl+J): all notices with the time of day, to be read and copied.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Shows AppState::notices there while AppState::log is set.
void draw_log(Ui&, const plot::Rect& at);

}  // namespace ui
