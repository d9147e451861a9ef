// The bars between the panels: dragged, they divide the window; double-clicked, they go back.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// A bar in the current ImGui window; `places` is what the window is divided into now.
void splitter(Ui&, Splitter, const plot::Rect& where, const Places& places);

}  // namespace ui
