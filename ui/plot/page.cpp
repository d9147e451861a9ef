// A page: heading, figures in a grid, caption below.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

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

double page_scale(const Page& page, const Rect& where) {
  const Rows grid = grid_of(page.figures.size(), where);
  const double area =
      where.w / static_cast<double>(grid.back()) * where.h / static_cast<double>(grid.size());
  return std::clamp(std::pow(area / (usual_width * usual_height), 0.4), 0.75, 6.0);
}

/// Caption lines broken between words so that each fits.
std::vector<std::string> wrapped(Canvas& canvas, const std::vector<std::string>& lines, double size,
                                 double width) {
  std::vector<std::string> result;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string current;
    for (std::string word; words >> word;) {
      const std::string longer = current.empty() ? word : current + " " + word;
      if (!current.empty() && canvas.text_extent(longer, size, false).x > width) {
        result.push_back(std::exchange(current, word));
      } else {
        current = longer;
      }
    }
    if (!current.empty()) result.push_back(current);
  }
  return result;
}

void write_line(Canvas& canvas, const Rect& page, Vec left_middle, const std::string& text,
                double size, Colour colour, bool bold, Layout& layout) {
  const Vec extent = canvas.text_extent(text, size, bold);
  if (extent.x > page.right() - left_middle.x) return;
  canvas.text(left_middle, text, size, colour, Align::left, 0, bold);
  const Box box{{left_middle.x + extent.x / 2, left_middle.y}, extent.x, extent.y, 0};
  layout.texts.push_back({box.bounds(), text, box.corners()});
}

}  // namespace

std::vector<Layout> draw_page(const Page& page, const Rect& where, const Style& asked,
                              Canvas& canvas) {
  if (!(where.w >= 1 && where.h >= 1)) return {};
  Style style = asked;
  style.scale *= page_scale(page, where);
  const double em = style.font_size * style.scale;
  const double title_size = 1.2 * style.title_size * style.scale, caption_size = 0.8 * em;
  canvas.fill(box_of(where).corners(), style.background);

  const double pad = std::min(0.9 * em, 0.03 * std::min(where.w, where.h));
  Rect room{where.x + pad, where.y + pad, where.w - 2 * pad, where.h - 2 * pad};
  Layout heading;
  heading.frame = heading.plot = where;
  const bool has_room = where.h > 18 * em;
  if (has_room && !page.title.empty()) {
    const Vec extent = canvas.text_extent(page.title, title_size, true);
    const double size = extent.x > room.w ? title_size * room.w / extent.x * 0.999 : title_size;
    write_line(canvas, where, {room.x, room.y + 0.6 * title_size}, page.title, size, style.text,
               true, heading);
    room.y += 1.7 * title_size;
    room.h -= 1.7 * title_size;
  }
  if (has_room) {
    const std::vector<std::string> lines = wrapped(canvas, page.caption, caption_size, room.w);
    const double row = 1.4 * caption_size;
    const auto shown = std::min(static_cast<double>(lines.size()), std::floor(0.2 * where.h / row));
    double y = room.bottom() - row * (shown - 0.5);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shown); ++i, y += row) {
      write_line(canvas, where, {room.x, y}, lines[i], caption_size, style.text_dim, false,
                 heading);
    }
    if (shown > 0) room.h -= row * shown + 0.6 * em;
  }

  const Rows grid = grid_of(page.figures.size(), room);
  const double gap_x = 1.2 * em, gap_y = 0.9 * em, rows = static_cast<double>(grid.size());
  const double h = (room.h - gap_y * (rows - 1)) / rows;
  std::vector<Layout> layouts;
  double y = room.y;
  for (const std::size_t count : grid) {
    const double columns = static_cast<double>(count);
    const double w = (room.w - gap_x * (columns - 1)) / columns;
    for (std::size_t i = 0; i < count && layouts.size() < page.figures.size(); ++i) {
      const double x = room.x + static_cast<double>(i) * (w + gap_x);
      layouts.push_back(draw(page.figures[layouts.size()], {x, y, w, h}, style, canvas));
    }
    y += h + gap_y;
  }
  layouts.push_back(std::move(heading));
  return layouts;
}

}  // namespace plot
