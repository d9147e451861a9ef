#include "ui/panels/panel_cache.hpp"

namespace ui {

const PointMap& PanelCache::points(const Drawn& drawn, const std::vector<Seen>& sessions,
                                   const View& view) {
  PointsKey key{drawn.panel, sessions, view.x, view.hidden, drawn.transform};
  if (points_key_ != key) {
    points_.emplace(series_.measured(sessions), drawn.panel, view, drawn.transform);
    points_key_ = std::move(key);
  }
  return *points_;
}

}  // namespace ui
