// Before the window closes: what becomes of what was measured and not saved.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Shows the question while AppState::closing is set.
void draw_close_question(Ui&);

}  // namespace ui
