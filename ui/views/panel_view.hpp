// One figure in the window: drawn, zoomed, panned.
#pragma once

#include "ui/views/panel_cache.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

inline constexpr double snap_radius = 14;  ///< pixels at scale 1 within which a point is hovered

/// The panel of figure_inputs(), with its figure, which is made again where its inputs differ, and
/// its overlay, which also follows the slider.
KeptPanel& prepare_panel(Ui&, const FigureInputs&, const engine::Chart&);
/// Draws it and reports it to the UI map.
const Drawn& draw_panel(Ui&, KeptPanel&, const plot::Rect& where,
                        plot::Legend = plot::Legend::elsewhere);

/// Mouse on one panel; true while the pointer is inside its axes.
bool interact(Ui&, const Drawn&);

/// The colour of what was measured, beside what the user expected.
inline plot::Colour measured_colour(const Theme& theme) { return theme.plot.series_colours[2]; }

/// Lines of a cross-hair, in data units; nothing where they would leave the axes.
void cross_lines(Ui&, const Drawn&, std::optional<double> x, std::optional<double> y);
/// The dot of a cross-hair that is on something drawn.
void cross_dot(Ui&, plot::Vec pixel);

/// The pointer, in pixels.
plot::Vec mouse();

}  // namespace ui
