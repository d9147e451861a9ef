// Where things lie on the screen, for programs that drive the window from outside. When the
// environment variable RIDGEPOINT_UI_MAP names a file, the window keeps it up to date after each
// frame that changed it; the file is replaced whole. It is one JSON object (rectangles are [x, y,
// width, height] in window coordinates):
//
//   frame     frames drawn so far; stays the same while the window is idle
//   window    [width, height]
//   controls  name -> {"rect", "enabled", "value"}: everything that takes a click, and what it
//             shows
//   plots     panel -> {"frame", "plot", "x": [low, high], "y": [low, high], "cursor": pixel x or
//             null, "cross_hair": pixel x or null}
//   legend    [{"series": the first of its ids, "text", "rect"}]
//   state     what the model holds: device, running, cursor_repeat, points, probes, hidden, spec,
//             tour (its step, how that was judged), exercise, dialog, palette, closing (the
//             question is open), log (it is open), presenting (the step, or null), unsaved
//             (sessions that no file holds), recent, notices
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

struct UiMap {
  struct Control {
    plot::Rect rect;
    bool enabled = true;
    std::string value;
    bool active = false;
    bool slides = false;  ///< a slider
  };
  struct Plot {
    plot::Layout layout;
    plot::Axis x, y;
    std::optional<double> cursor;
    std::optional<double> cross_hair;
  };
  struct Legend {
    std::string series, text;
    plot::Rect rect;
  };
  std::uint64_t frame = 0;
  double width = 0, height = 0;
  std::map<std::string, Control> controls;
  std::vector<std::string> focusable;  ///< those that keys can choose, as they were drawn
  std::map<std::string, Plot> plots;   ///< by the chart's id
  std::vector<Legend> legend;
};

/// The file's text.
std::string ui_map_text(const UiMap&, const AppState&);

}  // namespace ui
