// The one legend of the window: the series of all charts on screen, session by session, and what
// else the charts show. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

/// A series, whatever it is called in each of the charts.
struct LegendEntry {
  std::string text;
  plot::Series look{};          ///< without points
  std::set<std::string> ids{};  ///< of View::hidden
};
/// The series of one session.
struct LegendGroup {
  std::string title;  ///< the device, and the file that it was read from
  std::vector<LegendEntry> entries{};
};
struct LegendStrip {
  std::vector<LegendGroup> groups{};
  std::vector<plot::Key> keys{};  ///< of signs

  /// Of all entries.
  std::set<std::string> ids() const;
};

/// A chart on screen.
struct ChartOnScreen {
  const Plotted& shown;
  const plot::Figure& figure;
};
/// A series that all charts show alike is one entry; where a chart gives its name another look, the
/// entry names that chart.
LegendStrip legend_of(const AppState&, std::span<const ChartOnScreen>);

/// What the figure and its overlay show beside series and named roofs.
std::vector<plot::Key> keys_of(const plot::Figure&, const plot::Overlay&);

}  // namespace ui
