// The figures of the window: what they are made of, and axes wide enough for the whole sweep before
// its points are there, so that the picture stands still while the slider moves. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ui/app_state.hpp"
#include "ui/series_cache.hpp"

namespace ui {

/// All that a figure in the window is made of. Equal inputs make equal figures.
struct FigureInputs {
  /// The sweep that is set up: the slider's case from one end to the other.
  struct Sweep {
    kernels::Case what;
    std::uint64_t first_repeat, last_repeat;
    bool operator==(const Sweep&) const = default;
  };
  std::vector<Seen> sessions;
  View view;
  ZoomState zoom;
  std::optional<Sweep> sweep;  ///< nothing in the roofs view

  bool operator==(const FigureInputs&) const = default;
};
/// Points into the state: valid until it changes.
FigureInputs figure_inputs(const AppState&);

/// Widens the fitted axes to what the roofs predict at both ends of the sweep; without a prediction
/// x alone.
void widen_to_sweep(plot::Figure&, Panel, const FigureInputs&);

/// A panel with the limits that it has in the window: widened, zoomed and panned.
plot::Figure figure_on_screen(const FigureInputs&, Panel, SeriesCache&);

/// The panels of the view that is shown, maximised or not.
std::vector<Panel> panels_on_screen(const AppState&);

/// The panels of a page for export: the one asked for, or all of what is on screen.
std::vector<Panel> panels_to_export(const AppState&, std::optional<Panel> only);

/// A page for export of what is on screen, with its limits, but without the slider's cursor.
plot::Page page_on_screen(const AppState&, std::optional<Panel> only);

}  // namespace ui
