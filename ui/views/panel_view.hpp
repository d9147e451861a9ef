// One figure in the window: drawn, zoomed, panned, with its legend under the mouse.
#pragma once

#include "ui/views/panel_cache.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

inline constexpr double snap_radius = 14;  ///< pixels at scale 1 within which a point is hovered

/// Draws the panel of figure_inputs() and reports it to the UI map. A figure that has not changed
/// comes from the cache.
const Drawn& draw_panel(Ui&, const FigureInputs&, const engine::Chart&, const plot::Rect& where);

/// Mouse on one panel; true while the pointer is inside its axes.
bool interact(Ui&, const Drawn&);

/// While an exercise waits for it, the mouse on a panel places what the user expects; true then,
/// and the panel does nothing else.
bool place_guess(Ui&, const Drawn&);
/// What the user expects, and what was measured, as lines in the panels that have it on an axis.
void draw_guess(Ui&, const Drawn&);

/// Lines of a cross-hair, in data units; nothing where they would leave the axes.
void vertical(Ui&, plot::Canvas&, const Drawn&, double x);
void horizontal(Ui&, plot::Canvas&, const Drawn&, double y);

/// The pointer, in pixels.
plot::Vec mouse();

}  // namespace ui
