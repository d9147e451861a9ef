// Margins: what stands around the plot and how much room that leaves for it.
#include <algorithm>
#include <numbers>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

constexpr double tick_gap = 0.45;    // em between tick label and axis
constexpr double below_gap = 0.7;    // em; so far down that the lowest y label is no neighbour
constexpr double label_size = 0.92;  // of the font, for tick labels

/// Which parts a frame of this size has room for.
struct Detail {
  bool title, x_title, y_title, tick_labels;
};

Detail detail_of(const Scene& scene) {
  const double w = scene.layout.frame.w / scene.em(), h = scene.layout.frame.h / scene.em();
  return {h >= 10 && !scene.figure.title.empty(), h >= 8 && w >= 10, w >= 14 && h >= 8,
          w >= 7 && h >= 5};
}

double widest_label(Scene& scene, const Ticks& ticks) {
  double width = 0;
  for (const Tick& tick : ticks.ticks) {
    if (!tick.label.empty())
      width = std::max(width, scene.extent(tick.label, label_size * scene.em()).x);
  }
  return width;
}

void place_title(Scene& scene, double top) {
  const double size = scene.style.title_size * scene.style.scale;
  const Rect& frame = scene.layout.frame;
  const double left = scene.layout.plot.x;
  const std::string text =
      shortened(scene.canvas, scene.figure.title, size, true, frame.right() - scene.px(4) - left);
  const Vec extent = scene.extent(text, size, true);
  scene.place({text,
               {{left + extent.x / 2, top + extent.y / 2}, extent.x, extent.y, 0},
               size,
               scene.style.text,
               true,
               false},
              frame);
}

void place_axis_title(Scene& scene, const Axis& axis, const Ticks& ticks, bool upright) {
  const Rect& plot = scene.layout.plot;
  const Rect& frame = scene.layout.frame;
  const double room = (upright ? frame.h : frame.w) - scene.px(8);
  std::string text = title_of(axis, ticks);
  if (scene.extent(text, scene.em()).x > room) text = ticks.unit;
  const Vec extent = scene.extent(text, scene.em());
  const double half = extent.x / 2;
  Box box{{0, 0}, extent.x, extent.y, upright ? -std::numbers::pi / 2 : 0.0};
  if (upright) {
    const double middle = std::clamp(plot.y + plot.h / 2, frame.y + half,
                                     std::max(frame.y + half, frame.bottom() - half));
    box.centre = {frame.x + scene.px(4) + extent.y / 2, middle};
  } else {
    const double middle = std::clamp(plot.x + plot.w / 2, frame.x + half,
                                     std::max(frame.x + half, frame.right() - half));
    box.centre = {middle, frame.bottom() - scene.px(4) - extent.y / 2};
  }
  scene.place({text, box, scene.em(), scene.style.text, false, false}, frame);
}

void place_tick_labels(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  const double size = label_size * scene.em();
  for (const Tick& tick : scene.y_ticks.ticks) {
    const Vec extent = scene.extent(tick.label, size);
    const double middle = plot.bottom() - scene.scale_y(tick.value) * plot.h;
    const Box box{{plot.x - tick_gap * scene.em() - extent.x / 2, middle}, extent.x, extent.y, 0};
    scene.place({tick.label, box, size, scene.style.text, false, false}, scene.layout.frame);
  }
  for (const Tick& tick : scene.x_ticks.ticks) {
    const Vec extent = scene.extent(tick.label, size);
    const double middle = plot.x + scene.scale_x(tick.value) * plot.w;
    const Box box{
        {middle, plot.bottom() + below_gap * scene.em() + extent.y / 2}, extent.x, extent.y, 0};
    scene.place({tick.label, box, size, scene.style.text, false, false}, scene.layout.frame);
  }
}

/// Pixels that the last x label reaches beyond the axis.
double overhang(Scene& scene, double width) {
  double most = 0;
  for (const Tick& tick : scene.x_ticks.ticks) {
    if (tick.label.empty()) continue;
    const double half = scene.extent(tick.label, label_size * scene.em()).x / 2;
    most = std::max(most, half - (1 - scene.scale_x(tick.value)) * width);
  }
  return most;
}

}  // namespace

void lay_out_frame(Scene& scene, double legend_height) {
  scene.texts.clear();
  scene.text_bounds.clear();
  const Rect& frame = scene.layout.frame;
  const Detail detail = detail_of(scene);
  const double em = scene.em(), pad = scene.px(4);
  const double line = scene.extent("0", label_size * em).y, title_line = scene.extent("0", em).y;
  const double heading = scene.extent("0", scene.style.title_size * scene.style.scale, true).y;

  const double above = detail.title ? heading + 0.5 * em : (detail.tick_labels ? line / 2 : 0.0);
  const double below = (detail.tick_labels ? below_gap * em + line : 0) +
                       (detail.x_title ? title_line + 0.15 * em : 0);
  Rect plot{frame.x, frame.y + pad + above + legend_height, 0, 0};
  plot.h = std::max(frame.bottom() - pad - below - plot.y, 0.0);

  scene.y_ticks = ticks_of(scene.y, plot.h, 1.7 * em);
  const double before =
      (detail.y_title ? title_line + 0.5 * em : 0) +
      (detail.tick_labels ? widest_label(scene, scene.y_ticks) + tick_gap * em : 0);
  plot.x = frame.x + pad + before;
  plot.w = std::max(frame.right() - 2 * pad - plot.x, 0.0);
  scene.x_ticks = ticks_of(scene.x, plot.w, 3.2 * em);
  if (detail.tick_labels)
    plot.w = std::max(plot.w - std::max(overhang(scene, plot.w) - pad, 0.0), 0.0);
  scene.layout.plot = plot;

  if (detail.title) place_title(scene, frame.y + pad);
  if (detail.y_title) place_axis_title(scene, scene.y, scene.y_ticks, true);
  if (detail.x_title) place_axis_title(scene, scene.x, scene.x_ticks, false);
  if (detail.tick_labels) place_tick_labels(scene);
}

}  // namespace plot
