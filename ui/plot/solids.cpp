// Series as areas: bars over words, spans in lanes, with what they say of themselves.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/plot/labels.hpp"

namespace plot {
namespace {

constexpr double lane_share = 0.62;  // of a lane's height, for its spans

/// Relative luminance, roughly: sRGB's weights without its curve.
double luminance(Colour colour) { return 0.3 * colour.r + 0.59 * colour.g + 0.11 * colour.b; }

/// For text on an area of this colour.
Colour text_on(Colour ground) {
  return luminance(ground) > 0.55 ? Colour{0.07F, 0.08F, 0.1F, 1} : Colour{1, 1, 1, 1};
}

Colour face_of(const Scene& scene, const Series& series) {
  return mixed(scene.series_colour(series.colour), scene.style.background,
               series.dimmed  ? 0.75F
               : series.faded ? 0.6F
                              : 0.08F);
}

/// In pixels; nothing where the axes cannot show it.
std::optional<Rect> bar_of(const Scene& scene, const Series& series, std::size_t i) {
  const Points& points = *series.points;
  if (!scene.y.can_show(points.y[i])) return {};
  const double from = i < points.from.size() ? points.from[i] : NAN;
  const Vec top = scene.pixel_of_data(points.x[i] - series.bar / 2, points.y[i]);
  const double right = scene.pixel_of_data(points.x[i] + series.bar / 2, points.y[i]).x;
  const Rect& plot = scene.layout.plot;
  const bool on_axis = !scene.y.can_show(from);
  const double zero = scene.y.log || scene.y.low > 0 ? scene.y.low : std::min(0.0, scene.y.high);
  const double foot = scene.pixel_of_data(points.x[i], on_axis ? zero : from).y;
  const double high = std::clamp(std::min(top.y, foot), plot.y, plot.bottom());
  const double low = std::clamp(std::max(top.y, foot), plot.y, plot.bottom());
  const double left = std::clamp(top.x, plot.x, plot.right());
  const Rect rect{left, high, std::clamp(right, plot.x, plot.right()) - left, low - high};
  return rect.w > 0 ? std::optional(rect) : std::nullopt;
}

std::optional<Rect> rect_of(const Scene& scene, const Span& span) {
  const Rect& plot = scene.layout.plot;
  const Vec from = scene.pixel_of_data(span.begin, span.lane + lane_share / 2);
  const Vec to = scene.pixel_of_data(span.end, span.lane - lane_share / 2);
  const double left = std::clamp(from.x, plot.x, plot.right());
  const double right = std::clamp(std::max(to.x, from.x + 1), plot.x, plot.right());
  if (!(right > left)) return {};
  return Rect{left, from.y, right - left, to.y - from.y};
}

/// From the low to the high end of its interval, in the colour of text: it must show on the bar.
void paint_interval(Scene& scene, const Points& points, std::size_t i, const Rect& bar) {
  if (i >= points.low.size() || !scene.y.can_show(points.low[i]) ||
      !scene.y.can_show(points.high[i]))
    return;
  const double middle = bar.x + bar.w / 2, cap = std::min(0.25 * bar.w, scene.px(4));
  const Rect& plot = scene.layout.plot;
  const double top = scene.pixel_of_data(points.x[i], points.high[i]).y;
  const double foot = std::min(scene.pixel_of_data(points.x[i], points.low[i]).y, plot.bottom());
  if (foot - top < scene.px(2)) return;
  const auto paint = [&](Vec from, Vec to) {
    scene.paint_line(from, to, scene.style.text, scene.px(1.2));
  };
  paint({middle, top}, {middle, foot});
  for (const double end : {top, foot}) paint({middle - cap, end}, {middle + cap, end});
}

void paint_rect(Scene& scene, const Rect& rect, Colour face) {
  scene.canvas.fill(box_of(rect).corners(), face);
}

/// Within the bar, so that neighbours do not hide it.
void paint_doubtful_edge(Scene& scene, const Rect& bar, Colour colour) {
  const double in = scene.px(1.2);
  if (bar.w < 3 * in || bar.h < 3 * in) return;
  const Rect edge{bar.x + in, bar.y + in, bar.w - 2 * in, bar.h - 2 * in};
  scene.canvas.path(box_of(edge).corners(), colour, scene.px(1.4), Dash::dashed, true);
}

/// A bar or a span as it lies on screen.
struct Solid {
  const Series& series;
  Rect rect;
  std::size_t point = 0;       // of a bar
  const Span* span = nullptr;  // in place of a bar
};

std::vector<Solid> solids_of(const Scene& scene) {
  std::vector<Solid> solids;
  for (const Series& series : scene.figure.series) {
    if (series.hidden) continue;
    for (std::size_t i = 0; series.bar > 0 && i < series.points->size(); ++i)
      if (const auto rect = bar_of(scene, series, i)) solids.push_back({series, *rect, i});
    for (const Span& span : series.spans)
      if (const auto rect = rect_of(scene, span)) solids.push_back({series, *rect, 0, &span});
  }
  return solids;
}

void paint_solid(Scene& scene, const Solid& solid) {
  const Points& points = *solid.series.points;
  const std::size_t i = solid.point;
  const bool bar = solid.span == nullptr;
  const bool flagged = bar && i < points.flagged.size() && points.flagged[i] != 0;
  const Colour face = face_of(scene, solid.series), ground = scene.style.background;
  paint_rect(scene, solid.rect, flagged ? mixed(face, ground, 0.7F) : face);
  // A thin gap of the ground tells neighbours apart, in black and white, too.
  if (bar || solid.rect.w > scene.px(4))
    scene.canvas.path(box_of(solid.rect).corners(), ground, scene.px(0.8), Dash::solid, true);
  if (flagged) paint_doubtful_edge(scene, solid.rect, face);
  if (bar) paint_interval(scene, points, i, solid.rect);
}

/// Upright where a bar is narrower than its label is long.
bool place_above(Scene& scene, const std::string& text, const Rect& bar, double top) {
  const double size = small_share * scene.em();
  const Vec extent = scene.extent(text, size);
  const double gap = 0.25 * scene.em(), middle = bar.x + bar.w / 2;
  const Rect& room = scene.layout.plot;
  const auto put = [&](double height, double angle) {
    const Box box{{middle, top - gap - height / 2}, extent.x, extent.y, angle};
    return scene.place({text, box, size, scene.style.text, false, false}, room);
  };
  // Whether its neighbours' labels would touch it.
  const bool fits = extent.x <= 1.25 * bar.w;
  return (fits && put(extent.y, 0)) ||
         (extent.y <= 1.25 * bar.w && put(extent.x, -std::numbers::pi / 2));
}

void place_inside(Scene& scene, const std::string& text, const Rect& rect, Colour face) {
  const double size = small_share * scene.em();
  const double inset = 0.15 * scene.em();
  const Vec line = scene.extent("0", size);
  if (rect.h < line.y || rect.w < 2 * line.x) return;
  const std::string fitting = shortened(scene.canvas, text, size, false, rect.w - 2 * inset);
  // Less than half of it tells nothing, and the legend has it whole.
  const std::size_t dots = fitting == text ? 0 : std::string_view("\u2026").size();
  if (2 * fitting.size() < text.size() + 2 * dots) return;
  const Vec extent = scene.extent(fitting, size);
  const Box box{{rect.x + rect.w / 2, rect.y + rect.h / 2}, extent.x, extent.y, 0};
  scene.place({fitting, box, size, text_on(face), false, false}, scene.layout.plot);
}

void place_bar_label(Scene& scene, const Solid& bar) {
  const Points& points = *bar.series.points;
  const std::size_t i = bar.point;
  if (i >= points.labels.size() || points.labels[i].empty()) return;
  if (i < points.from.size())  // it begins in the air
    return place_inside(scene, points.labels[i], bar.rect, face_of(scene, bar.series));
  double top = bar.rect.y;
  if (i < points.high.size() && scene.y.can_show(points.high[i]))
    top = std::min(top, scene.pixel_of_data(points.x[i], points.high[i]).y);
  place_above(scene, points.labels[i], bar.rect, top);
}

}  // namespace

void paint_solids(Scene& scene) {
  if (std::ranges::none_of(scene.figure.series, &Series::is_solid)) return;
  scene.canvas.push_clip(scene.layout.plot);
  for (const Solid& solid : solids_of(scene)) paint_solid(scene, solid);
  scene.canvas.pop_clip();
}

void map_solids(const Scene& scene, OccupancyMap& occupancy) {
  const double step = std::max(scene.px(2.5), 2.0);
  for (const Solid& solid : solids_of(scene)) {
    const Rect& rect = solid.rect;
    for (double x = rect.x; x <= rect.right(); x += step)
      occupancy.add_line({x, rect.y}, {x, rect.bottom()}, Occupant::spot);
  }
}

void place_solid_labels(Scene& scene) {
  for (const Solid& solid : solids_of(scene)) {
    if (solid.span == nullptr)
      place_bar_label(scene, solid);
    else if (!solid.span->name.empty())
      place_inside(scene, solid.span->name, solid.rect, face_of(scene, solid.series));
  }
}

void paint_swatch(Scene& scene, const Rect& rect, Colour colour) {
  paint_rect(scene, rect, mixed(colour, scene.style.background, 0.08F));
}

}  // namespace plot
