// The panels as they were last drawn: one in which nothing has changed costs a copy of its
// triangles, however many points it shows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ui/hover.hpp"
#include "ui/limits.hpp"
#include "ui/memo.hpp"
#include "ui/progress.hpp"
#include "ui/results.hpp"
#include "ui/subject.hpp"
#include "ui/triangles.hpp"

namespace ui {

/// All that decides what a panel looks like. Equal looks are equal to the last vertex.
struct PanelLook {
  FigureInputs inputs;
  std::string empty_text;
  plot::Rect where;
  plot::Style style;
  std::uint64_t fonts = 0;    ///< Fonts::version()
  std::uint64_t texture = 0;  ///< font_texture_number()

  bool operator==(const PanelLook&) const = default;
};

/// One panel as drawn.
struct Drawn {
  Panel panel = Panel::roofline;
  plot::Figure figure;
  plot::Layout layout;
  plot::Transform transform;
  Triangles triangles;
  std::optional<PointMap> points;  ///< once the pointer has asked for it
};

class PanelCache {
 public:
  /// The panel as it is kept; where it looks otherwise now, as `draw` makes it anew.
  template <class Draw>
  Drawn& get(Panel panel, PanelLook look, const Draw& draw) {
    Entry& entry = entries_[panel];
    if (entry.look != look) {
      entry.drawn = draw(look);
      entry.look = std::move(look);
    }
    return entry.drawn;
  }

  SeriesCache& series() { return series_; }
  ResultRows& rows() { return rows_; }
  NewestPoints& newest() { return newest_; }
  /// By the version of the session.
  Memo<std::uint64_t, Unmeasured>& unmeasured() { return unmeasured_; }

 private:
  struct Entry {
    std::optional<PanelLook> look;
    Drawn drawn;
  };
  std::map<Panel, Entry> entries_;
  SeriesCache series_;
  ResultRows rows_;
  NewestPoints newest_;
  Memo<std::uint64_t, Unmeasured> unmeasured_;
};

}  // namespace ui
