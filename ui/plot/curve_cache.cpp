#include "ui/plot/curve_cache.hpp"

#include <algorithm>
#include <utility>

namespace plot {
namespace {

/// A figure is mapped as it is first laid out, and again where the legend moves the plot.
template <typename Map>
const Map& keep_newest(std::vector<Map>& maps, Map newest) {
  maps.push_back(std::move(newest));
  if (maps.size() > 2) maps.erase(maps.begin());
  return maps.back();
}

}  // namespace

std::optional<CurveCache::Entry> CurveCache::take(const Series& series) {
  const auto kept = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.curve != nullptr && entry.line == series.line &&
           entry.points.same_as(series.points);
  });
  if (kept == entries_.end()) return std::nullopt;
  return std::exchange(*kept, Entry{});
}

std::vector<DrawnCurve> CurveCache::curves(const Scene& scene) {
  Frame frame{scene.x,
              scene.y,
              scene.layout.plot.w,
              scene.layout.plot.h,
              scene.px(1),
              scene.style.marker_size};
  if (frame != frame_) entries_.clear();
  frame_ = std::move(frame);

  std::vector<DrawnCurve> drawn;
  std::vector<Entry> entries;
  std::vector<const Series*> fresh;
  for (std::size_t i = 0; i < scene.figure.series.size(); ++i) {
    const Series& series = scene.figure.series[i];
    if (series.hidden) continue;
    std::optional<Entry> entry = take(series);
    if (!entry) fresh.push_back(&series);
    entries.push_back(entry ? std::move(*entry) : Entry{series.points, series.line, {}, {}, 0, {}});
    drawn.push_back({i, nullptr});
  }
  std::vector<Curve> made = reduced(scene, fresh);
  auto next = made.begin();
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    std::shared_ptr<const Curve>& curve = entries[i].curve;
    if (curve == nullptr) curve = std::make_shared<const Curve>(std::move(*next++));
    drawn[i].curve = curve;
  }
  entries_ = std::move(entries);
  return drawn;
}

CurveCache::Entry& CurveCache::entry_of(const DrawnCurve& drawn) {
  return *std::ranges::find(entries_, drawn.curve, &Entry::curve);
}

const InkMap& CurveCache::ink_of(const Scene& scene, const DrawnCurve& drawn) {
  std::vector<Mapped>& maps = entry_of(drawn).maps;
  const double pixel = scene.px(1);
  const double radius = radius_of(scene, scene.figure.series[drawn.series]);
  const auto kept = std::ranges::find_if(maps, [&](const Mapped& map) {
    return map.plot == scene.layout.plot && map.pixel == pixel && map.radius == radius;
  });
  if (kept != maps.end()) return kept->ink;
  return keep_newest(maps, {scene.layout.plot, pixel, radius, plot::ink_of(scene, drawn)}).ink;
}

const InkMap& CurveCache::ink_of_curves(const Scene& scene) {
  MappedTogether wanted{scene.layout.plot, scene.px(1), {}, {}};
  for (const DrawnCurve& drawn : scene.curves)
    wanted.curves.emplace_back(drawn.curve, radius_of(scene, scene.figure.series[drawn.series]));
  const auto kept = std::ranges::find_if(together_, [&](const MappedTogether& map) {
    return map.plot == wanted.plot && map.pixel == wanted.pixel && map.curves == wanted.curves;
  });
  if (kept != together_.end()) return kept->ink;
  wanted.ink = blank_map(scene);
  for (const DrawnCurve& drawn : scene.curves) wanted.ink.add(ink_of(scene, drawn));
  return keep_newest(together_, std::move(wanted)).ink;
}

std::uint64_t CurveCache::look_of(const Scene& scene, const DrawnCurve& drawn) {
  const Series& series = scene.figure.series[drawn.series];
  Look look{scene.layout.plot, scene.style, series.colour, series.marker,
            series.filled,     series.core, series.faded,  series.dash};
  Entry& entry = entry_of(drawn);
  if (entry.look != look) {
    entry.look = std::move(look);
    entry.number = ++last_number_;
  }
  return entry.number;
}

}  // namespace plot
