// One figure in the window: drawn, zoomed, panned, with its legend under the mouse.
#pragma once

#include "ui/panels/panel_cache.hpp"
#include "ui/panels/widgets.hpp"

namespace ui {

inline constexpr double snap_radius = 14;  ///< pixels at scale 1 within which a point is hovered

/// Draws what figure_on_screen() says, and reports it to the UI map. `empty_text` takes the place
/// of the figure's own words while it has no points. What has not changed comes from the cache.
const Drawn& draw_panel(Ui&, Panel, const plot::Rect& where, const std::string& empty_text);

/// Mouse on one panel; true while the pointer is inside its axes.
bool interact(Ui&, const Drawn&);

/// Lines of a cross-hair, in data units; nothing where they would leave the axes.
void vertical(Ui&, plot::Canvas&, const Drawn&, double x);
void horizontal(Ui&, plot::Canvas&, const Drawn&, double y);

/// The pointer, in pixels.
plot::Vec mouse();

}  // namespace ui
