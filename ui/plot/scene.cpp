#include "ui/plot/scene.hpp"

#include <algorithm>
#include <sstream>

namespace plot {
namespace {

/// The second scale of x from end to end of the first; nothing where its numbers cannot be drawn.
std::optional<Axis> axis_above(const Figure& figure, const Axis& x) {
  if (!figure.above) return {};
  const AxisAbove& asked = *figure.above;
  const Axis axis{asked.title,           asked.unit, x.low * asked.factor,
                  x.high * asked.factor, x.log,      false};
  const Axis drawable = sane(axis);
  const bool same = drawable.low == axis.low && drawable.high == axis.high;
  return same ? std::optional(axis) : std::nullopt;
}

}  // namespace

Scale::Scale(const Axis& axis) : log_(axis.log) {
  const double low = log_ ? std::log(axis.low) : axis.low;
  const double high = log_ ? std::log(axis.high) : axis.high;
  factor_ = 1 / (high - low);
  offset_ = -low * factor_;
}

Scene::Scene(const Figure& drawn, const Rect& where, const Style& look, Canvas& on)
    : figure(drawn),
      style(look),
      canvas(on),
      x(sane(drawn.x)),
      y(sane(drawn.y)),
      scale_x(x),
      scale_y(y),
      above(axis_above(drawn, x)) {
  layout.frame = where;
  layout.plot = where;
}

Scene::Scene(const Figure& drawn, const Layout& drawn_so, const Style& look, Canvas& on)
    : Scene(drawn, drawn_so.frame, look, on) {
  layout = drawn_so;
}

Vec Scene::pixel(Vec shares) const {
  const Rect& plot = layout.plot;
  return {plot.x + shares.x * plot.w, plot.bottom() - shares.y * plot.h};
}

std::vector<Vec> Scene::pixels_of_data(const std::vector<double>& xs,
                                       const std::vector<double>& ys) const {
  std::vector<Vec> pixels;
  for (std::size_t i = 0; i < std::min(xs.size(), ys.size()); ++i)
    pixels.push_back(pixel_of_data(xs[i], ys[i]));
  return pixels;
}

std::optional<double> Scene::vertical_at(double data_x) const {
  const Rect& plot = layout.plot;
  const double at = plot.x + scale_x(data_x) * plot.w;
  return at >= plot.x && at <= plot.right() ? std::optional(at) : std::nullopt;
}

Colour Scene::series_colour(int index) const {
  if (index >= first_regime_colour)
    return style.colour_of(static_cast<Regime>(index - first_regime_colour));
  if (index < 0 || style.series_colours.empty()) return style.roof;
  return style.series_colours[static_cast<std::size_t>(index) % style.series_colours.size()];
}

Colour Scene::label_colour(int index, Colour neutral) const {
  return index < 0 ? neutral : mixed(series_colour(index), style.text, 0.3F);
}

bool Scene::is_free(const Box& box, const Rect& room) const {
  const double gap = 0.12 * em();
  const Box grown = box.grown(gap);
  if (!inside(box.bounds(), room)) return false;
  const Rect bounds = grown.bounds();
  if (const auto& legend_box = layout.legend_box;
      legend_box && overlap(bounds, *legend_box) && overlap(grown, box_of(*legend_box))) {
    return false;
  }
  return std::ranges::none_of(layout.texts, [&](const PlacedText& text) {
    return overlap(bounds, text.box) && overlap(grown, text.turned);
  });
}

bool Scene::place(PlacedText text, const Rect& room) {
  if (text.text.empty() || !is_free(text.turned, room)) return false;
  text.box = text.turned.bounds();
  layout.texts.push_back(std::move(text));
  return true;
}

bool has_drop_line(const Mark& mark) {
  return mark.kind == Mark::Kind::ridge || mark.kind == Mark::Kind::knee;
}

Colour faded(Colour colour, float share) {
  colour.a *= share;
  return colour;
}

Colour mixed(Colour colour, Colour other, float share) {
  const auto mix = [share](float a, float b) { return a + share * (b - a); };
  return {mix(colour.r, other.r), mix(colour.g, other.g), mix(colour.b, other.b),
          mix(colour.a, other.a)};
}

std::string shortened(Canvas& canvas, std::string_view text, double size, bool bold, double width) {
  if (canvas.text_extent(text, size, bold).x <= width) return std::string(text);
  while (!text.empty()) {
    // A whole UTF-8 character: its continuation bytes and the byte that leads them.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
      text.remove_suffix(1);
    if (!text.empty()) text.remove_suffix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    const std::string cut = std::string(text) + "\u2026";
    if (!text.empty() && canvas.text_extent(cut, size, bold).x <= width) return cut;
  }
  return {};
}

std::vector<std::string> wrapped(Canvas& canvas, const std::string& text, double size, bool bold,
                                 double width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string longer = lines.empty() ? word : lines.back() + " " + word;
    if (lines.empty() || canvas.text_extent(longer, size, bold).x > width) {
      lines.push_back(word);
    } else {
      lines.back() = longer;
    }
  }
  return lines;
}

}  // namespace plot
