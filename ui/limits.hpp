// Axis limits of the panels in the window: wide enough for the whole sweep before its points are
// there, so that the picture stands still while the slider moves. Pure.
#pragma once

#include "ui/app_state.hpp"

namespace ui {

/// Widens the fitted axes to what the roofs predict at both ends of the sweep.
void widen_to_sweep(plot::Figure&, Panel, const AppState&);

}  // namespace ui
