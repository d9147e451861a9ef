// The panels as they were last drawn: a figure in which nothing has changed costs a copy of its
// triangles, however many points it shows. Its overlay is drawn in every frame.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/spec.hpp"
#include "ui/model/memo.hpp"
#include "ui/screen/compared.hpp"
#include "ui/screen/hover.hpp"
#include "ui/screen/legend.hpp"
#include "ui/screen/limits.hpp"
#include "ui/screen/results.hpp"
#include "ui/widgets/imgui_canvas.hpp"
#include "ui/widgets/triangles.hpp"

namespace ui {

/// All that decides what a figure looks like on screen, beside the figure itself.
struct PanelLook {
  Range x, y;
  std::string empty_text;
  plot::Rect where;
  plot::Style style;
  Fonts::Version fonts;
  std::set<std::string> pointed;  ///< ids of series that stand out

  bool operator==(const PanelLook&) const = default;
};

/// One panel as drawn: a figure, which is kept, and what lies over it in this frame.
struct Drawn {
  engine::Chart chart;
  Plotted shown;  ///< its points; the chart is over the x axis that the view asks for
  plot::Figure figure;
  plot::Overlay overlay;
  plot::Layout layout;
  plot::Transform transform;
  Triangles triangles;  ///< of the figure
};

/// A panel and what decides whether it is made or drawn again.
struct KeptPanel {
  std::optional<FigureInputs> inputs;
  std::optional<kernels::Case> cursor;
  plot::Axis fitted_x, fitted_y;
  std::uint64_t made = 0;  ///< how often
  bool empty = false;      ///< the figure has words in place of points
  std::optional<PanelLook> look;
  std::optional<PointMap> points;  ///< of what is drawn, once the pointer asks for it
  Drawn drawn;
};

/// All that decides what a picture of an export shows, and what it looks like in its dialog.
struct PreviewOf {
  std::string lab;
  bool apart = false;
  FigureInputs inputs;
  std::optional<kernels::Case> cursor;
  ZoomState zoom;
  std::optional<std::string> chart;
  std::optional<ComparedKey> compared;

  bool operator==(const PreviewOf&) const = default;
};
struct PreviewLook {
  plot::PictureSpec picture;
  std::string title;
  plot::Rect where;
  Fonts::Version fonts;

  bool operator==(const PreviewLook&) const = default;
};
struct KeptPreview {
  std::optional<PreviewOf> of;
  plot::Page page;
  std::string why_not;  ///< there is no page, in a sentence
  std::optional<PreviewLook> look;
  Triangles triangles;
  std::string caption;  ///< as it is written on the picture
};

struct PanelCache {
  /// By the charts on screen: how often each was made, its cursor and its y axis.
  using ChartStates =
      std::vector<std::tuple<std::string, std::uint64_t, std::optional<kernels::Case>, plot::Axis>>;

  KeptPanel& panel(const engine::Chart& chart) { return panels[std::string(chart.id)]; }
  /// The points of a panel that was drawn, for the pointer.
  const PointMap& points(const Drawn& drawn) {
    std::optional<PointMap>& points = panel(drawn.chart).points;
    if (!points) points.emplace(drawn.shown, drawn.transform);
    return *points;
  }

  std::map<std::string, KeptPanel> panels;  ///< by chart
  KeptPreview preview;
  /// The rows of the results table, and in which columns they differ.
  Memo<ResultsKey, std::pair<std::vector<Hovered>, Varying>> rows;
  RowTexts row_texts;
  Memo<ChartStates, LegendStrip> legend;
  /// By the lab, which of its pages is shown, and the sessions on screen.
  Memo<std::tuple<std::string, bool, std::vector<Seen>>, std::vector<engine::Chart>> charts;
  /// By the sides and their sessions.
  Memo<ComparedKey, ComparedView> compared;
  /// By the sessions on screen and what would be swept.
  Memo<std::pair<std::vector<Seen>, engine::Spec>, std::string> unswept;
};

}  // namespace ui
