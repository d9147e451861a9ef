// What the window has to offer, in a strip of its own above the plots: the hints of the first
// start, or what an earlier window left. They cover nothing.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Height of the strip in pixels at scale 1.
inline constexpr float hints_height = 28;

void draw_hints(Ui&);
/// Sessions of windows that did not close: to be opened, or left for the next start.
void draw_recovered(Ui&);

}  // namespace ui
