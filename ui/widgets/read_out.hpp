// The small box of numbers beside the pointer.
#pragma once

#include "ui/screen/hover.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

/// Drawn above everything, beside `pointer`, inside the figure's `frame` where it fits there,
/// always inside the window. `title` may be empty.
void draw_read_out(Ui&, const std::string& title, const std::vector<Reading>&, plot::Vec pointer,
                   const plot::Rect& frame);

}  // namespace ui
