// Background, regions, grid and axis lines.
#include <algorithm>
#include <array>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

void paint_grid(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  const auto colour_of = [&](const Tick& tick) {
    return tick.weight >= 1 ? scene.style.grid
                            : faded(scene.style.grid_minor, static_cast<float>(tick.weight / 0.6));
  };
  for (const Tick& tick : scene.x_ticks.ticks) {
    if (tick.weight <= 0) continue;
    const double at = plot.x + scene.scale_x(tick.value) * plot.w;
    scene.paint_line({at, plot.y}, {at, plot.bottom()}, colour_of(tick), scene.px(1));
  }
  for (const Tick& tick : scene.y_ticks.ticks) {
    if (tick.weight <= 0) continue;
    const double at = plot.bottom() - scene.scale_y(tick.value) * plot.h;
    scene.paint_line({plot.x, at}, {plot.right(), at}, colour_of(tick), scene.px(1));
  }
}

/// Lines between lanes.
void paint_lanes(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  for (std::size_t i = 1; i < scene.y.words.size(); ++i) {
    const double at = plot.bottom() - scene.scale_y(static_cast<double>(i) - 0.5) * plot.h;
    if (at > plot.y && at < plot.bottom())
      scene.paint_line({plot.x, at}, {plot.right(), at}, scene.style.grid, scene.px(1));
  }
}

void paint_cells(Scene& scene) {
  if (scene.figure.cells.empty()) return;
  scene.canvas.push_clip(scene.layout.plot);
  for (const Cell& cell : scene.figure.cells) {
    const Vec low = scene.pixel_of_data(cell.low.x, cell.low.y);
    const Vec high = scene.pixel_of_data(cell.high.x, cell.high.y);
    scene.canvas.fill(box_of(Rect{low.x, high.y, high.x - low.x, low.y - high.y}).corners(),
                      density_colour(scene, cell.strength));
  }
  scene.canvas.pop_clip();
}

/// Each piece between two points is a quadrilateral: convex, as a canvas asks.
void paint_region(Scene& scene, const Region& region) {
  const Rect& plot = scene.layout.plot;
  const bool named = region.regime != Regime::none;
  const Colour ground =
      faded(named ? scene.style.colour_of(region.regime) : scene.style.roof_dim, 0.08F);
  // A margin beyond the plot, where nothing shows, keeps far ends out of the canvas' number range.
  const Rect reach{plot.x - plot.w, plot.y - 1e4, 3 * plot.w, plot.h + 2e4};
  const std::vector<Vec> line = scene.pixels_of_data(region.x, region.y);
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    Vec from = line[i], to = line[i + 1];
    if (!clip_segment(reach, from, to) || std::min(from.y, to.y) >= plot.bottom()) continue;
    const double foot = std::max({plot.bottom(), from.y, to.y});
    const std::array corners{from, to, Vec{to.x, foot}, Vec{from.x, foot}};
    scene.canvas.fill(corners, ground);
    if (region.edge && clip_segment(plot, from, to))
      scene.paint_line(from, to, scene.style.colour_of(region.regime), scene.px(1.5));
  }
}

/// The x axis, or that above the plot, at this height; ticks go `outward` (1 is down).
void paint_x_axis(Scene& scene, const Ticks& ticks, const Scale& scale, double y, double outward) {
  const Rect& plot = scene.layout.plot;
  const Colour colour = scene.style.frame;
  scene.paint_line({plot.x, y}, {plot.right(), y}, colour, scene.px(1.2));
  for (const Tick& tick : ticks.ticks) {
    if (tick.weight <= 0) continue;
    const double at = plot.x + scale(tick.value) * plot.w;
    const double length = scene.px(tick.label.empty() ? 2.5 : 5);
    scene.paint_line({at, y}, {at, y + outward * length}, colour, scene.px(1));
  }
}

}  // namespace

Colour density_colour(const Scene& scene, float strength) {
  constexpr float faintest = 0.1F, darkest = 0.5F;
  return faded(scene.style.text, faintest + (darkest - faintest) * strength);
}

void paint_ground(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  if (!scene.style.transparent)
    scene.canvas.fill(box_of(scene.layout.frame).corners(), scene.style.background);
  scene.canvas.push_clip(plot);
  for (const Region& region : scene.figure.regions) paint_region(scene, region);
  scene.canvas.pop_clip();
  paint_grid(scene);
  paint_cells(scene);
  paint_lanes(scene);
}

void paint_axes(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  const Colour colour = scene.style.frame;
  scene.paint_line({plot.x, plot.y}, {plot.x, plot.bottom()}, colour, scene.px(1.2));
  paint_x_axis(scene, scene.x_ticks, scene.scale_x, plot.bottom(), 1);
  if (scene.above_height > 0)
    paint_x_axis(scene, scene.above_ticks, Scale(*scene.above), plot.y, -1);
  for (const Tick& tick : scene.y_ticks.ticks) {
    if (tick.weight <= 0) continue;
    const double at = plot.bottom() - scene.scale_y(tick.value) * plot.h;
    const double length = scene.px(tick.label.empty() ? 2.5 : 5);
    scene.paint_line({plot.x - length, at}, {plot.x, at}, colour, scene.px(1));
  }
}

}  // namespace plot
