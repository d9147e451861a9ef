// The log (Ctrl+J): all notices with the time of day, to be read and copied.
#pragma once

#include "ui/panels/widgets.hpp"

namespace ui {

/// Shows AppState::notices at the bottom of `over` while AppState::log is set.
void draw_log(Ui&, const plot::Rect& over);

}  // namespace ui
