#include "ui/model/division.hpp"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

// All in pixels at scale 1.
constexpr double gap = 6;  // between panels: as wide as the pointer needs
constexpr double fold_width = 16;
constexpr double header_height = 36;
constexpr double status_height = 26;
constexpr double labs_width = 190;
constexpr double least_with_labs = 1220;  // a narrower window has no room for the list
constexpr double least_controls = 236;    // the words of the narrowest buttons fit
constexpr double most_controls = 460;
constexpr double least_bottom = 150;
constexpr double most_bottom = 1200;
constexpr double least_automatic_bottom = 170;  // a whole verdict, with its three rows
constexpr double most_automatic_bottom = 208;
constexpr double least_cell_width = 190;
constexpr double least_cell_height = 130;
constexpr double least_plots_width = 2 * least_cell_width + gap;
constexpr double least_plots_height = 2 * least_cell_height + gap;

/// Of the bottom panel where plots and it share `room`; the plots keep theirs, then the panel.
double bottom_height(const Division& division, double room) {
  const double wanted = division.bottom.value_or(
      std::clamp(room * 0.24, least_automatic_bottom, most_automatic_bottom));
  const double most = std::max(least_bottom, room - least_plots_height);
  return std::clamp(wanted, least_bottom, most);
}

/// A share that leaves both sides at least `least`; the middle where that is impossible.
double fair_share(double share, double length, double least) {
  if (length <= 2 * least) return 0.5;
  return std::clamp(share, least / length, 1 - least / length);
}

}  // namespace

Division bounded(Division division) {
  division.controls = std::clamp(division.controls, least_controls, most_controls);
  if (division.bottom) division.bottom = std::clamp(*division.bottom, least_bottom, most_bottom);
  division.column = std::clamp(division.column, 0.05, 0.95);
  division.row = std::clamp(division.row, 0.05, 0.95);
  return division;
}

Places places_of(const Division& division, double scale, double width, double height) {
  const auto px = [&](double at_scale_1) { return std::round(at_scale_1 * scale); };
  const double above = height - px(status_height);
  const double labs = width / scale < least_with_labs ? 0 : labs_width;
  const double most = std::max(least_controls, width / scale - labs - least_plots_width - gap);
  Places at;
  double left = px(fold_width);
  if (division.controls_open) {
    at.labs = {0, 0, px(labs), above};
    at.controls = {at.labs.right(), 0, px(std::min(division.controls, most)), above};
    at.controls_splitter = {at.controls.right(), 0, px(gap), above};
    left = at.controls_splitter.right();
  } else {
    at.fold = {0, 0, left, above};
  }
  const double top = px(header_height);
  const double wide = std::max(0.0, width - left);
  const double bottom = px(bottom_height(division, above / scale - header_height - gap));
  at.header = {left, 0, wide, top};
  at.bottom = {left, above - bottom, wide, bottom};
  at.bottom_splitter = {left, at.bottom.y - px(gap), wide, px(gap)};
  at.plots = {left, top, wide, std::max(0.0, at.bottom_splitter.y - top)};
  at.roofs = {left, top, wide, std::max(0.0, above - top)};
  at.status = {0, above, width, px(status_height)};
  return at;
}

Grid grid_of(const Division& division, double scale, const plot::Rect& plots, std::size_t panels) {
  const std::size_t rows = panels < 2 ? 1 : panels == 2 ? 2 : (panels + 1) / 2;
  const double between = std::round(gap * scale), count = static_cast<double>(rows);
  const double wide = std::max(0.0, plots.w - between);
  const double left =
      std::floor(wide * fair_share(division.column, wide, least_cell_width * scale));
  const double right = plots.x + left + between;
  const double high = std::max(0.0, plots.h - (count - 1) * between);
  // Two rows share the height as the user has divided it, more of them evenly.
  const double upper =
      rows == 2 ? std::floor(high * fair_share(division.row, high, least_cell_height * scale))
                : high / count;
  Grid grid;
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = plots.y + static_cast<double>(row) * (upper + between);
    const double h = rows == 2 && row == 1 ? high - upper : upper;
    if (panels <= 2 || 2 * row + 1 == panels) {
      grid.cells.push_back({plots.x, y, plots.w, h});
      continue;
    }
    grid.cells.push_back({plots.x, y, left, h});
    grid.cells.push_back({right, y, wide - left, h});
    grid.column_splitter = {plots.x + left, plots.y, between, y + h - plots.y};
  }
  const double middle = plots.y + upper;
  if (panels == 2 || panels == 3) grid.row_splitters = {{plots.x, middle, plots.w, between}};
  if (panels == 4)
    grid.row_splitters = {{plots.x, middle, left, between}, {right, middle, wide - left, between}};
  return grid;
}

void move_splitter(Division& division, Splitter splitter, double scale, const Places& at,
                   plot::Vec pixel) {
  const double half = gap / 2;
  if (splitter == Splitter::controls)
    division.controls = (pixel.x - at.labs.right()) / scale - half;
  if (splitter == Splitter::bottom) division.bottom = (at.bottom.bottom() - pixel.y) / scale - half;
  if (splitter == Splitter::column && at.plots.w > 0)
    division.column = (pixel.x - at.plots.x) / at.plots.w;
  if (splitter == Splitter::row && at.plots.h > 0)
    division.row = (pixel.y - at.plots.y) / at.plots.h;
  division = bounded(division);
}

void reset_splitter(Division& division, Splitter splitter) {
  const Division fresh;
  if (splitter == Splitter::controls) division.controls = fresh.controls;
  if (splitter == Splitter::bottom) division.bottom = fresh.bottom;
  if (splitter == Splitter::column) division.column = fresh.column;
  if (splitter == Splitter::row) division.row = fresh.row;
}

}  // namespace ui
