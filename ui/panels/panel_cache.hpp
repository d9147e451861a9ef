// The panels as they were last drawn: one in which nothing has changed costs a copy of its
// triangles, however many points it shows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/spec.hpp"
#include "ui/hover.hpp"
#include "ui/limits.hpp"
#include "ui/memo.hpp"
#include "ui/plot/curve_cache.hpp"
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
  Texture texture;

  bool operator==(const PanelLook&) const = default;
};

/// One panel as drawn.
struct Drawn {
  Panel panel = Panel::roofline;
  plot::Figure figure;
  plot::Layout layout;
  plot::Transform transform;
  Triangles triangles;
};

/// What of a panel outlives a drawing of it.
struct KeptParts {
  plot::CurveCache curves;
  KeptLayers layers;
};

class PanelCache {
 public:
  /// The panel as it is kept; where it looks otherwise now, as `draw` makes it anew.
  template <class Draw>
  const Drawn& get(Panel panel, PanelLook look, const Draw& draw) {
    Entry& entry = entries_[panel];
    if (entry.look != look) {
      entry.drawn = draw(look, entry.parts);
      entry.look = std::move(look);
    }
    return entry.drawn;
  }

  /// The points of a panel that was drawn, for the pointer.
  const PointMap& points(const Drawn&, const std::vector<Seen>&, const View&);

  SeriesCache& series() { return series_; }
  ResultRows& rows() { return rows_; }
  NewestPoints& newest() { return newest_; }
  /// By the version of the session.
  Memo<std::uint64_t, Unmeasured>& unmeasured() { return unmeasured_; }
  /// By the versions of the sessions on screen and what would be swept.
  Memo<std::pair<std::vector<std::uint64_t>, engine::Spec>, std::string>& unswept() {
    return unswept_;
  }

 private:
  struct Entry {
    std::optional<PanelLook> look;
    Drawn drawn;
    KeptParts parts;
  };
  /// What decides which points lie where.
  struct PointsKey {
    Panel panel;
    std::vector<Seen> sessions;
    XAxis x;
    std::set<std::string> hidden;
    plot::Transform transform;
    bool operator==(const PointsKey&) const = default;
  };
  std::map<Panel, Entry> entries_;
  std::optional<PointsKey> points_key_;
  std::optional<PointMap> points_;  // of the panel that the pointer was last in
  SeriesCache series_;
  ResultRows rows_;
  NewestPoints newest_;
  Memo<std::uint64_t, Unmeasured> unmeasured_;
  Memo<std::pair<std::vector<std::uint64_t>, engine::Spec>, std::string> unswept_;
};

}  // namespace ui
