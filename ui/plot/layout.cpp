// Margins: what stands around the plot and how much room that leaves for it.
#include <algorithm>
#include <numbers>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

constexpr double tick_gap = 0.45;    // em between tick label and axis
constexpr double x_gap = 0.7;        // em; so far off that the outermost y labels are no neighbours
constexpr double label_size = 0.92;  // of the font, for tick labels

/// Which parts a frame of this size has room for.
struct Detail {
  bool title, x_title, y_title, tick_labels, above;
};

Detail detail_of(const Scene& scene) {
  const double w = scene.layout.frame.w / scene.em(), h = scene.layout.frame.h / scene.em();
  return {h >= 10 && !scene.figure.title.empty(), h >= 8 && w >= 10, w >= 14 && h >= 8,
          w >= 7 && h >= 5, w >= 18 && h >= 14 && scene.above};
}

/// At least that of four digits, so that most plots below each other start at the same place.
double widest_label(Scene& scene, const Ticks& ticks) {
  double width = scene.extent("1000", label_size * scene.em()).x;
  for (const Tick& tick : ticks.ticks) {
    if (!tick.label.empty())
      width = std::max(width, scene.extent(tick.label, label_size * scene.em()).x);
  }
  return width;
}

void place_text(Scene& scene, const std::string& text, const Box& box, double size, Align align) {
  scene.place({text, box, size, scene.style.text, false, false, {}, align}, scene.layout.frame);
}

void place_title(Scene& scene, double top) {
  const double size = scene.style.title_size * scene.style.scale;
  const Rect& frame = scene.layout.frame;
  const double left = scene.layout.plot.x;
  const std::string text =
      shortened(scene.canvas, scene.figure.title, size, true, frame.right() - scene.px(4) - left);
  const Vec extent = scene.extent(text, size, true);
  const Box box{{left + extent.x / 2, top + extent.y / 2}, extent.x, extent.y, 0};
  scene.place({text, box, size, scene.style.text, true, false, {}, Align::left}, frame);
}

/// The title and the unit, or the unit alone where they are too long together.
std::string fitting_title(Scene& scene, const Axis& axis, const Ticks& ticks, double room) {
  std::string text = title_of(axis, ticks);
  return scene.extent(text, scene.em()).x > room ? ticks.unit : text;
}

/// Words as long as there is room for them.
void shorten_words(Scene& scene, Ticks& ticks, double room) {
  for (Tick& tick : ticks.ticks)
    tick.label = shortened(scene.canvas, tick.label, label_size * scene.em(), false, room);
}

/// Pixels that the words below a plot of this width take, which stand upright where the longest is
/// wider than its place and more of it fits so; 0 where they take a line as numbers do.
double lay_out_words(Scene& scene, double width) {
  const Axis& x = scene.x;
  if (x.words.empty()) return 0;
  const double place = width / (x.high - x.low) - 0.4 * scene.em();
  double longest = 0;
  for (const std::string& word : x.words)
    longest = std::max(longest, scene.extent(word, label_size * scene.em()).x);
  const double most = 0.3 * scene.layout.frame.h;
  scene.words_turned = longest > place && most > place;
  return scene.words_turned ? std::min(longest, most) : 0;
}

/// In the middle between two ends, but within others.
double centred(double low, double high, double half, double least, double most) {
  return std::clamp((low + high) / 2, least + half, std::max(least + half, most - half));
}

void place_y_title(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  const Rect& frame = scene.layout.frame;
  const std::string text = fitting_title(scene, scene.y, scene.y_ticks, frame.h - scene.px(8));
  const Vec extent = scene.extent(text, scene.em());
  const double middle = centred(plot.y, plot.bottom(), extent.x / 2, frame.y, frame.bottom());
  const Box box{
      {frame.x + scene.px(4) + extent.y / 2, middle}, extent.x, extent.y, -std::numbers::pi / 2};
  place_text(scene, text, box, scene.em(), Align::centre);
}

/// Of the x axis or of that above the plot, its middle at this height.
void place_x_title(Scene& scene, const Axis& axis, const Ticks& ticks, double y) {
  const Rect& plot = scene.layout.plot;
  const Rect& frame = scene.layout.frame;
  const std::string text = fitting_title(scene, axis, ticks, frame.w - scene.px(8));
  const Vec extent = scene.extent(text, scene.em());
  const double middle = centred(plot.x, plot.right(), extent.x / 2, frame.x, frame.right());
  place_text(scene, text, {{middle, y}, extent.x, extent.y, 0}, scene.em(), Align::centre);
}

void place_y_labels(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  const double size = label_size * scene.em();
  for (const Tick& tick : scene.y_ticks.ticks) {
    const Vec extent = scene.extent(tick.label, size);
    const double middle = plot.bottom() - scene.scale_y(tick.value) * plot.h;
    const Box box{{plot.x - tick_gap * scene.em() - extent.x / 2, middle}, extent.x, extent.y, 0};
    place_text(scene, tick.label, box, size, Align::right);
  }
}

/// Of the x axis or of that above the plot, their middles at this height.
void place_x_labels(Scene& scene, const Ticks& ticks, const Scale& scale, double y) {
  const Rect& plot = scene.layout.plot;
  const double size = label_size * scene.em();
  for (const Tick& tick : ticks.ticks) {
    const Vec extent = scene.extent(tick.label, size);
    Box box{{plot.x + scale(tick.value) * plot.w, y}, extent.x, extent.y, 0};
    if (scene.words_turned) {  // they end below the axis
      box.centre.y = plot.bottom() + 0.5 * x_gap * scene.em() + extent.x / 2;
      box.angle = -std::numbers::pi / 2;
    }
    place_text(scene, tick.label, box, size, scene.words_turned ? Align::right : Align::centre);
  }
}

/// Pixels that the last label reaches beyond an axis of this width.
double overhang(Scene& scene, const Ticks& ticks, const Scale& scale, double width) {
  double most = 0;
  for (const Tick& tick : ticks.ticks) {
    if (tick.label.empty()) continue;
    const double half = scene.extent(tick.label, label_size * scene.em()).x / 2;
    most = std::max(most, half - (1 - scale(tick.value)) * width);
  }
  return most;
}

/// Ticks of both scales of x, and the width that leaves room for the last labels.
void lay_out_width(Scene& scene, const Detail& detail, Rect& plot) {
  constexpr double label_space = 3.2;  // em
  scene.x_ticks = ticks_of(scene.x, plot.w, label_space * scene.em());
  const bool numbers = scene.x.words.empty();  // words stay above their places
  double beyond =
      detail.tick_labels && numbers ? overhang(scene, scene.x_ticks, scene.scale_x, plot.w) : 0;
  if (detail.above) {
    scene.above_ticks = ticks_of(*scene.above, plot.w, label_space * scene.em());
    beyond = std::max(beyond, overhang(scene, scene.above_ticks, Scale(*scene.above), plot.w));
  }
  plot.w = std::max(plot.w - std::max(beyond - scene.px(4), 0.0), 0.0);
}

}  // namespace

void lay_out_frame(Scene& scene, double legend_height) {
  scene.layout.texts.clear();
  const Rect& frame = scene.layout.frame;
  const Detail detail = detail_of(scene);
  const double em = scene.em(), pad = scene.px(4);
  const double line = scene.extent("0", label_size * em).y, title_line = scene.extent("0", em).y;
  const double heading = scene.extent("0", scene.style.title_size * scene.style.scale, true).y;

  // Labels of an axis along x and, beyond them, its title.
  const double labels_height = x_gap * em + line, title_height = title_line + 0.15 * em;
  scene.above_height = detail.above ? labels_height + title_height : 0;
  const double above = detail.title ? heading + 0.5 * em : (detail.tick_labels ? line / 2 : 0.0);
  const double upright = lay_out_words(scene, 0.85 * frame.w);
  const bool x_title = detail.x_title && (scene.x.words.empty() || !scene.x.title.empty());
  const double below = (detail.tick_labels ? labels_height + std::max(upright - line, 0.0) : 0) +
                       (x_title ? title_height : 0);
  Rect plot{frame.x, frame.y + pad + above + legend_height + scene.above_height, 0, 0};
  plot.h = std::max(frame.bottom() - pad - below - plot.y, 0.0);

  // Numbers of a linear axis are all labelled; those of a log axis are few.
  scene.y_ticks = ticks_of(scene.y, plot.h, (scene.y.log ? 1.7 : 2.8) * em);
  if (!scene.y.words.empty()) shorten_words(scene, scene.y_ticks, 0.28 * frame.w);
  const bool y_title = detail.y_title && (scene.y.words.empty() || !scene.y.title.empty());
  const double before =
      (y_title ? title_line + 0.5 * em : 0) +
      (detail.tick_labels ? widest_label(scene, scene.y_ticks) + tick_gap * em : 0);
  plot.x = frame.x + pad + before;
  plot.w = std::max(frame.right() - 2 * pad - plot.x, 0.0);
  lay_out_width(scene, detail, plot);
  if (!scene.x.words.empty()) {
    const double place = plot.w / (scene.x.high - scene.x.low) - 0.2 * em;
    shorten_words(scene, scene.x_ticks, scene.words_turned ? upright : place);
  }
  scene.layout.plot = plot;

  if (detail.title) place_title(scene, frame.y + pad);
  if (y_title) place_y_title(scene);
  if (x_title) place_x_title(scene, scene.x, scene.x_ticks, frame.bottom() - pad - title_line / 2);
  if (detail.tick_labels) {
    place_y_labels(scene);
    place_x_labels(scene, scene.x_ticks, scene.scale_x, plot.bottom() + x_gap * em + line / 2);
  }
  if (detail.above) {
    place_x_labels(scene, scene.above_ticks, Scale(*scene.above), plot.y - x_gap * em - line / 2);
    place_x_title(scene, *scene.above, scene.above_ticks,
                  plot.y - scene.above_height + title_line / 2);
  }
}

}  // namespace plot
