#include "ui/plot/draw.hpp"

#include <cmath>
#include <utility>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

double from_share(const Axis& axis, double share) {
  if (!axis.log) return axis.low + share * (axis.high - axis.low);
  return std::exp(std::log(axis.low) + share * (std::log(axis.high) - std::log(axis.low)));
}

bool is_drawable(const Scene& scene) {
  const Rect& frame = scene.layout.frame;
  return frame.w >= 1 && frame.h >= 1 && frame.w < 1e6 && frame.h < 1e6 && scene.em() > 0;
}

}  // namespace

Vec Transform::to_pixel(double data_x, double data_y) const {
  return {plot.x + Scale(x)(data_x) * plot.w, plot.bottom() - Scale(y)(data_y) * plot.h};
}

double Transform::to_data_x(double pixel_x) const {
  return plot.w > 0 ? from_share(x, (pixel_x - plot.x) / plot.w) : x.low;
}

double Transform::to_data_y(double pixel_y) const {
  return plot.h > 0 ? from_share(y, (plot.bottom() - pixel_y) / plot.h) : y.low;
}

Transform transform_of(const Figure& figure, const Layout& layout) {
  return {sane(figure.x), sane(figure.y), layout.plot};
}

void lay_out(Scene& scene) {
  if (!is_drawable(scene)) return;
  lay_out_frame(scene, 0);
  lay_out_legend(scene);
}

void place_labels(Scene& scene) {
  if (!is_drawable(scene)) return;
  if (!scene.layout.legend_box)
    map_occupancy(scene);  // else mapped already, to find the free corner
  place_solid_labels(scene);
  lay_out_labels(scene);
}

void finish(Scene& scene) {
  if (!is_drawable(scene)) return;
  paint_ground(scene);
  scene.canvas.push_clip(scene.layout.frame);
  paint_guides(scene);
  paint_solids(scene);
  paint_roofs(scene);
  paint_curves(scene);
  paint_marks(scene);
  scene.canvas.pop_clip();
  paint_axes(scene);
  paint_legend(scene);
  paint_texts(scene);
}

Layout draw(const Figure& figure, const Rect& where, const Style& style, Canvas& canvas,
            Legend legend) {
  Scene scene(figure, where, style, canvas);
  scene.legend_elsewhere = legend == Legend::elsewhere;
  lay_out(scene);
  place_labels(scene);
  finish(scene);
  return std::move(scene.layout);
}

std::vector<PlacedText> draw_overlay(const Overlay& overlay, const Figure& figure,
                                     const Layout& layout, const Style& style, Canvas& canvas) {
  Scene scene(figure, layout, style, canvas);
  if (!is_drawable(scene)) return {};
  lay_out_labels(scene, overlay);
  canvas.push_clip(layout.frame);
  paint_overlay(scene, overlay);
  canvas.pop_clip();
  std::vector<PlacedText>& texts = scene.layout.texts;
  texts.erase(texts.begin(), texts.begin() + std::ssize(layout.texts));
  paint_texts(scene);
  return std::move(texts);
}

}  // namespace plot
