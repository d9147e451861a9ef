// A page: heading, figures in a grid, caption; one legend where a figure has no room for its own.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "ui/plot/output/presets.hpp"
#include "ui/plot/scene.hpp"

namespace plot {
namespace {

/// Texts keep their share of the figure: a figure of this size has texts of the style's size.
constexpr double usual_width = 800, usual_height = 470;

/// How many figures stand in each row; a row's figures share its whole width.
using Rows = std::vector<std::size_t>;

/// Rows as even as can be, the fuller ones below: the first figures are the ones looked at first.
Rows rows_of(std::size_t figures, std::size_t rows) {
  Rows counts(rows, figures / rows);
  for (std::size_t i = 0; i < figures % rows; ++i) ++counts[rows - 1 - i];
  return counts;
}

/// How far the figures are from the usual aspect, on average.
double miss_of(const Rows& rows, const Rect& room) {
  const double height = room.h / static_cast<double>(rows.size());
  double miss = 0, figures = 0;
  for (const std::size_t count : rows) {
    const double aspect = room.w / static_cast<double>(count) / height;
    miss += static_cast<double>(count) * std::abs(std::log(aspect / (usual_width / usual_height)));
    figures += static_cast<double>(count);
  }
  return miss / figures;
}

Rows grid_of(std::size_t figures, const Rect& room) {
  Rows best = rows_of(std::max<std::size_t>(figures, 1), 1);
  for (std::size_t count = 2; count <= figures; ++count) {
    Rows rows = rows_of(figures, count);
    if (miss_of(rows, room) < miss_of(best, room)) best = std::move(rows);
  }
  return best;
}

double page_scale(const Page& page, const Rect& where, const Style& style) {
  if (!style.grows) return 1;
  const Rows grid = grid_of(page.figures.size(), where);
  const double area =
      where.w / static_cast<double>(grid.back()) * where.h / static_cast<double>(grid.size());
  return std::clamp(std::pow(area / (usual_width * usual_height), 0.4), 0.75, 6.0);
}

/// Lines broken between words so that each fits; a word that is too long for a line is cut.
std::vector<std::string> fitted(Canvas& canvas, const std::vector<std::string>& lines, double size,
                                bool bold, double width) {
  std::vector<std::string> result;
  for (const std::string& line : lines) {
    for (const std::string& piece : wrapped(canvas, line, size, bold, width))
      result.push_back(shortened(canvas, piece, size, bold, width));
  }
  return result;
}

/// Texts of a page around its figures, in lines that fit.
struct Block {
  std::vector<std::string> lines;
  double size = 0, row = 0;  // of the type, of a line
  bool bold = false;

  double height() const { return row * static_cast<double>(lines.size()); }
};

/// The first `most` lines; an ellipsis says that there was more.
void keep_lines(Canvas& canvas, Block& block, std::size_t most, double width) {
  if (block.lines.size() <= most) return;
  block.lines.resize(most);
  if (most == 0) return;
  std::string& last = block.lines.back();
  last = shortened(canvas, last + " \u2026", block.size, block.bold, width);
}

/// On one line, if need be a fifth smaller; else on two.
Block heading_of(Canvas& canvas, const std::string& title, double size, double width) {
  constexpr double least = 0.8;
  const double needed = canvas.text_extent(title, size, true).x;
  Block block;
  block.bold = true;
  block.size = size * std::clamp(0.999 * width / std::max(needed, 1.0), least, 1.0);
  block.row = 1.35 * block.size;
  block.lines = fitted(canvas, {title}, block.size, true, width);
  keep_lines(canvas, block, 2, width);
  return block;
}

/// All lines, or the brief ones where all would take more than their share of the page.
Block caption_of(Canvas& canvas, const Page& page, double size, double width, double page_height) {
  constexpr double share = 0.15;
  Block block{{}, size, 1.4 * size};
  const auto most = static_cast<std::size_t>(share * page_height / block.row);
  block.lines = fitted(canvas, page.caption, size, false, width);
  if (block.lines.size() > most && !page.brief_caption.empty())
    block.lines = fitted(canvas, page.brief_caption, size, false, width);
  keep_lines(canvas, block, most, width);
  return block;
}

void write(Canvas& canvas, const Block& block, Vec top_left, Colour colour, Layout& layout) {
  double y = top_left.y + block.row / 2;
  for (const std::string& line : block.lines) {
    const Vec extent = canvas.text_extent(line, block.size, block.bold);
    canvas.text({top_left.x, y}, line, block.size, colour, Align::left, 0, block.bold);
    const Box box{{top_left.x + extent.x / 2, y}, extent.x, extent.y, 0};
    layout.texts.push_back(
        {line, box, block.size, colour, block.bold, false, {}, Align::left, box.bounds()});
    y += block.row;
  }
}

/// Writes heading and caption; what they leave of `room`.
Rect write_around(Canvas& canvas, const Page& page, const Rect& where, Rect room,
                  const Style& style, Layout& layout) {
  const double em = style.font_size * style.scale;
  if (!(where.h > 18 * em)) return room;
  if (!page.title.empty()) {
    const Block heading =
        heading_of(canvas, page.title, 1.2 * style.title_size * style.scale, room.w);
    write(canvas, heading, {room.x, room.y}, style.text, layout);
    room.y += heading.height() + 0.4 * em;
    room.h -= heading.height() + 0.4 * em;
  }
  const Block caption = caption_of(canvas, page, 0.8 * em, room.w, where.h);
  if (caption.lines.empty()) return room;
  write(canvas, caption, {room.x, room.bottom() - caption.height()}, style.text_dim, layout);
  room.h -= caption.height() + 0.6 * em;
  return room;
}

/// A place for each figure, row by row.
std::vector<Rect> places_of(std::size_t figures, const Rect& room, double em) {
  const Rows grid = grid_of(figures, room);
  const double gap_x = 1.2 * em, gap_y = 0.9 * em, rows = static_cast<double>(grid.size());
  const double h = (room.h - gap_y * (rows - 1)) / rows;
  std::vector<Rect> places;
  double y = room.y;
  for (const std::size_t count : grid) {
    const double columns = static_cast<double>(count);
    const double w = (room.w - gap_x * (columns - 1)) / columns;
    for (std::size_t i = 0; i < count; ++i)
      places.push_back({room.x + static_cast<double>(i) * (w + gap_x), y, w, h});
    y += h + gap_y;
  }
  return places;
}

/// The figures in a grid, up to their legends.
std::vector<Scene> laid_out(const std::vector<Figure>& figures, const Rect& room,
                            const Style& style, Canvas& canvas, bool legend_elsewhere) {
  const std::vector<Rect> places = places_of(figures.size(), room, style.font_size * style.scale);
  std::vector<Scene> scenes;
  scenes.reserve(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    Scene& scene = scenes.emplace_back(figures[i], places[i], style, canvas);
    scene.legend_elsewhere = legend_elsewhere;
    lay_out(scene);
  }
  return scenes;
}

/// One legend above all figures; the height that it takes of `room`, 0 where there is none.
double draw_common_legend(Canvas& canvas, const std::vector<Figure>& figures, const Rect& room,
                          const Style& style, Layout& layout) {
  constexpr double share = 0.2;
  const std::optional<Figure> all = series_of_all(figures);
  if (!all) return 0;
  Scene scene(*all, room, style, canvas);
  const double height = draw_legend(scene, share * room.h);
  layout.texts.insert(layout.texts.end(), scene.layout.texts.begin(), scene.layout.texts.end());
  return height > 0 ? height + 0.4 * scene.em() : 0;
}

}  // namespace

std::vector<Layout> draw_page(const Page& page, const Rect& where, const Style& asked,
                              Canvas& canvas) {
  if (!(where.w >= 1 && where.h >= 1)) return {};
  Style style = asked;
  style.scale *= page_scale(page, where, asked);
  const double em = style.font_size * style.scale;
  if (!style.transparent) canvas.fill(box_of(where).corners(), style.background);

  const double pad = std::min(0.9 * em, 0.03 * std::min(where.w, where.h));
  Layout around;
  around.frame = around.plot = where;
  Rect room = write_around(canvas, page, where,
                           {where.x + pad, where.y + pad, where.w - 2 * pad, where.h - 2 * pad},
                           style, around);

  std::vector<Figure> recoloured;
  if (style.monochrome)
    std::ranges::transform(page.figures, std::back_inserter(recoloured), in_black_and_white);
  const std::vector<Figure>& figures = style.monochrome ? recoloured : page.figures;
  std::vector<Scene> scenes = laid_out(figures, room, style, canvas, false);
  if (std::ranges::any_of(scenes, lacks_in_legend)) {
    const double height = draw_common_legend(canvas, figures, room, style, around);
    room.y += height;
    room.h -= height;
    if (height > 0) scenes = laid_out(figures, room, style, canvas, true);
  }
  std::vector<Layout> layouts;
  for (Scene& scene : scenes) {
    place_labels(scene);
    finish(scene);
    layouts.push_back(std::move(scene.layout));
  }
  layouts.push_back(std::move(around));
  return layouts;
}

}  // namespace plot
