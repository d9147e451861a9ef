// The panel over the plots that tells everything of one point.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Does nothing while no point is inspected; `over` is where the plots lie.
void draw_inspector(Ui&, const plot::Rect& over);

}  // namespace ui
