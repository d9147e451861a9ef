// One figure in the window: drawn, zoomed, panned.
#pragma once

#include "ui/views/panel_cache.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

inline constexpr double snap_radius = 14;  ///< pixels at scale 1 within which a point is hovered

/// The panel of figure_inputs(), with its figure. One that has not changed comes from the cache.
KeptPanel& prepare_panel(Ui&, const FigureInputs&, const engine::Chart&);
/// Draws it and reports it to the UI map.
const Drawn& draw_panel(Ui&, KeptPanel&, const plot::Rect& where,
                        plot::Legend = plot::Legend::elsewhere);

/// Mouse on one panel; true while the pointer is inside its axes.
bool interact(Ui&, const Drawn&);

/// While an exercise waits for it, the mouse on a panel places what the user expects; true then,
/// and the panel does nothing else.
bool place_guess(Ui&, const Drawn&);
/// What the user expects, and what was measured, as lines in the panels that have it on an axis;
/// false in others.
bool draw_guess(Ui&, const Drawn&, bool in_words);
/// Of what was measured.
inline plot::Colour measured_colour(const Theme& theme) { return theme.plot.series_colours[2]; }

/// Lines of a cross-hair, in data units; nothing where they would leave the axes.
void vertical(Ui&, plot::Canvas&, const Drawn&, double x);
void horizontal(Ui&, plot::Canvas&, const Drawn&, double y);

/// The pointer, in pixels.
plot::Vec mouse();

}  // namespace ui
