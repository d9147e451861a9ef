// The figures of the window: what they are made of, and axes wide enough for the whole sweep before
// its points are there, so that the picture stands still while the slider moves. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/figures/figures.hpp"
#include "ui/model/app_state.hpp"

namespace ui {

/// A session as it is now: equal ones are at the same place and have not changed.
struct Seen {
  Seen(const engine::Session* seen, std::uint64_t its_version)
      : session(seen), version(its_version), points(seen->points.data()) {}

  const engine::Session* session;
  std::uint64_t version;
  const engine::Point* points;  ///< a copy has the version of what it is a copy of
  bool operator==(const Seen&) const = default;
};

/// Those on screen with their versions. Opened files come in their order.
std::vector<Seen> seen_on_screen(const AppState&);

/// All that a figure in the window is made of, but not its overlay: the slider's repeat and the
/// zoom are left out. Equal inputs make equal figures.
struct FigureInputs {
  /// The sweep that is set up: the slider's case from one end to the other.
  struct Sweep {
    kernels::Case what;
    std::uint64_t first_repeat, last_repeat;
    bool operator==(const Sweep&) const = default;
  };
  std::vector<Seen> sessions;
  View view;
  std::optional<Sweep> sweep;  ///< nothing in a lab without a slider

  bool operator==(const FigureInputs&) const = default;
};
/// Points into the state: valid until it changes.
FigureInputs figure_inputs(const AppState&);

/// A chart with the points that it has in the window.
Plotted plotted(const FigureInputs&, const engine::Chart&);
/// Its figure, fitted to its data and to the sweep that is set up.
plot::Figure fitted_figure(const FigureInputs&, const Plotted&);
/// Gives a fitted figure its limits in the window: as wide as its overlay, zoomed and panned.
void set_limits(plot::Figure&, const plot::Overlay&, const ZoomState&, const engine::Chart&);

/// A chart as it is in the window.
plot::Figure figure_on_screen(const AppState&, const engine::Chart&);

/// The charts of the view that is shown, maximised or not, as they are before anything is measured:
/// which there are, and what they are called.
std::vector<engine::Chart> charts_on_screen(const AppState&);
/// The same as what was measured makes them.
std::vector<engine::Chart> measured_charts(const AppState&);

/// The charts of a page for export: the one of that id, or all of what is on screen.
std::vector<engine::Chart> charts_to_export(const AppState&,
                                            const std::optional<std::string>& only);

/// A page for export of what is on screen, with its limits, but without the slider's cursor.
plot::Page page_on_screen(const AppState&, const std::optional<std::string>& only);

}  // namespace ui
