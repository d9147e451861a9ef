#include "ui/views/panel_cache.hpp"

namespace ui {

const PointMap& PanelCache::points(const Drawn& drawn) {
  std::optional<PointMap>& points = panel(drawn.chart).points;
  if (!points) points.emplace(drawn.shown, drawn.transform);
  return *points;
}

}  // namespace ui
