// The hints of the first start, in a strip of its own above the plots: they cover nothing.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Height of the strip in pixels at scale 1.
inline constexpr float hints_height = 28;

void draw_hints(Ui&);

}  // namespace ui
