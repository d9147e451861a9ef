// Axis limits of the panels in the window: wide enough for the whole sweep before its points are
// there, so that the picture stands still while the slider moves. Pure.
#pragma once

#include <optional>
#include <vector>

#include "ui/app_state.hpp"

namespace ui {

/// Widens the fitted axes to what the roofs predict at both ends of the sweep.
void widen_to_sweep(plot::Figure&, Panel, const AppState&);

/// A panel with the limits that it has in the window: widened, zoomed and panned.
plot::Figure figure_on_screen(const AppState&, Panel);

/// The panels of a page for export: the one asked for, or all of what is on screen.
std::vector<Panel> panels_on_screen(const AppState&, std::optional<Panel> only);

/// A page for export of what is on screen, with its limits, but without the slider's cursor.
plot::Page page_on_screen(const AppState&, std::optional<Panel> only);

}  // namespace ui
