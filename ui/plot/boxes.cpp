#include "ui/plot/boxes.hpp"

#include <algorithm>
#include <cmath>

namespace plot {
namespace {

/// True when the projections on the edges of `a` leave a gap.
bool separated_along_edges(const std::array<Vec, 4>& a, const std::array<Vec, 4>& b) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Vec axis{a[i + 1].x - a[i].x, a[i + 1].y - a[i].y};
    const auto range = [axis](const std::array<Vec, 4>& corners) {
      const auto along = [axis](Vec p) { return p.x * axis.x + p.y * axis.y; };
      double low = along(corners[0]), high = low;
      for (const Vec& corner : corners) {
        low = std::min(low, along(corner));
        high = std::max(high, along(corner));
      }
      return std::array{low, high};
    };
    const auto of_a = range(a), of_b = range(b);
    if (of_a[1] <= of_b[0] || of_b[1] <= of_a[0]) return true;
  }
  return false;
}

}  // namespace

std::array<Vec, 4> Box::corners() const {
  if (angle == 0) {  // most are
    const double left = centre.x - w / 2, right = centre.x + w / 2;
    const double top = centre.y - h / 2, bottom = centre.y + h / 2;
    return {Vec{left, top}, {right, top}, {right, bottom}, {left, bottom}};
  }
  const double c = std::cos(angle), s = std::sin(angle);
  const auto at = [&](double x, double y) {
    return Vec{centre.x + c * x - s * y, centre.y + s * x + c * y};
  };
  return {at(-w / 2, -h / 2), at(w / 2, -h / 2), at(w / 2, h / 2), at(-w / 2, h / 2)};
}

Rect Box::bounds() const {
  if (angle == 0) return {centre.x - w / 2, centre.y - h / 2, w, h};
  const double c = std::abs(std::cos(angle)), s = std::abs(std::sin(angle));
  const double width = c * w + s * h, height = s * w + c * h;
  return {centre.x - width / 2, centre.y - height / 2, width, height};
}

Box box_of(const Rect& rect) {
  return {{rect.x + rect.w / 2, rect.y + rect.h / 2}, rect.w, rect.h, 0};
}

bool overlap(const Box& a, const Box& b) {
  const auto of_a = a.corners(), of_b = b.corners();
  return !separated_along_edges(of_a, of_b) && !separated_along_edges(of_b, of_a);
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

bool inside(const Rect& inner, const Rect& outer) {
  constexpr double slack = 1e-6;
  return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
         inner.right() <= outer.right() + slack && inner.bottom() <= outer.bottom() + slack;
}

Vec nearest(Vec point, const Rect& box) {
  return {std::clamp(point.x, box.x, box.right()), std::clamp(point.y, box.y, box.bottom())};
}

double distance(Vec point, const Rect& box) { return distance(point, nearest(point, box)); }

bool cross(Vec a, Vec b, Vec c, Vec d) {
  const auto side = [](Vec from, Vec to, Vec p) {
    return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
  };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

// Liang and Barsky (1984).
bool clip_segment(const Rect& rect, Vec& from, Vec& to) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  if (!std::isfinite(dx) || !std::isfinite(dy)) return false;
  if (rect.contains(from) && rect.contains(to)) return true;
  double enter = 0, leave = 1;
  const double steps[] = {-dx, dx, -dy, dy};
  const double gaps[] = {from.x - rect.x, rect.right() - from.x, from.y - rect.y,
                         rect.bottom() - from.y};
  for (int side = 0; side < 4; ++side) {
    if (steps[side] == 0) {
      if (gaps[side] < 0) return false;
      continue;
    }
    const double at = gaps[side] / steps[side];
    if (steps[side] < 0) {
      enter = std::max(enter, at);
    } else {
      leave = std::min(leave, at);
    }
  }
  if (enter > leave) return false;
  const Vec start = from, end = to;
  from = between(start, end, enter);
  to = between(start, end, leave);
  return true;
}

OccupancyMap::OccupancyMap(const Rect& area, double cell)
    : area_(area),
      cell_(std::max(cell, 1.0)),
      per_pixel_(1 / cell_),
      columns_(static_cast<int>(std::clamp(std::ceil(area.w / cell_), 0.0, 8192.0))),
      rows_(static_cast<int>(std::clamp(std::ceil(area.h / cell_), 0.0, 8192.0))),
      cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

void OccupancyMap::add_run(int column, double from_row, double to_row, Occupant occupant) {
  const int first = static_cast<int>(std::clamp(std::min(from_row, to_row), 0.0, rows_ - 1.0));
  const int last = static_cast<int>(std::clamp(std::max(from_row, to_row), 0.0, rows_ - 1.0));
  std::uint8_t* cells = &cells_[static_cast<std::size_t>(column) * static_cast<std::size_t>(rows_)];
  const auto weight = static_cast<std::uint8_t>(occupant);
  for (int row = first; row <= last; ++row) cells[row] = std::max(cells[row], weight);
}

void OccupancyMap::add_dot(Vec centre, double radius, Occupant occupant) {
  if (columns_ == 0 || rows_ == 0 || !area_.contains(centre)) return;
  const int reach = static_cast<int>(radius * per_pixel_) + 1;
  const int column = std::min(static_cast<int>((centre.x - area_.x) * per_pixel_), columns_ - 1);
  const double row = (centre.y - area_.y) * per_pixel_;
  for (int x = std::max(column - reach, 0); x <= std::min(column + reach, columns_ - 1); ++x) {
    add_run(x, row - reach, row + reach, occupant);
  }
}

void OccupancyMap::add_line(Vec from, Vec to, Occupant occupant) {
  if (columns_ == 0 || rows_ == 0 || !clip_segment(area_, from, to)) return;
  if (from.x > to.x) std::swap(from, to);
  const double start = (from.x - area_.x) * per_pixel_, end = (to.x - area_.x) * per_pixel_;
  const double start_row = (from.y - area_.y) * per_pixel_, end_row = (to.y - area_.y) * per_pixel_;
  const int first = std::clamp(static_cast<int>(start), 0, columns_ - 1);
  const int last = std::clamp(static_cast<int>(end), 0, columns_ - 1);
  if (first == last) return add_run(first, start_row, end_row, occupant);
  const double slope = (end_row - start_row) / (end - start);
  for (int column = first; column <= last; ++column) {
    const double enters = start_row + (std::max<double>(column, start) - start) * slope;
    const double leaves = start_row + (std::min<double>(column + 1, end) - start) * slope;
    add_run(column, enters, leaves, occupant);
  }
}

double OccupancyMap::under(const Box& box, double limit) const {
  if (cells_.empty()) return 0;
  const int across = static_cast<int>(box.w * per_pixel_) + 1,
            down = static_cast<int>(box.h * per_pixel_) + 1;
  std::array<Vec, 4> corners = box.corners();
  for (Vec& corner : corners)
    corner = {(corner.x - area_.x) * per_pixel_, (corner.y - area_.y) * per_pixel_};
  const Vec along{(corners[1].x - corners[0].x) / across, (corners[1].y - corners[0].y) / across};
  const Vec downward{(corners[3].x - corners[0].x) / down, (corners[3].y - corners[0].y) / down};
  int sum = 0;
  for (int j = 0; j <= down && 2 * sum <= limit; ++j) {
    const Vec start{corners[0].x + j * downward.x, corners[0].y + j * downward.y};
    // Every second cell, row by row in turn: half the work, and no line slips through.
    for (int i = j % 2; i <= across; i += 2) {
      const int column = std::clamp(static_cast<int>(start.x + i * along.x), 0, columns_ - 1);
      const int row = std::clamp(static_cast<int>(start.y + i * along.y), 0, rows_ - 1);
      sum += cells_[static_cast<std::size_t>(column * rows_ + row)];
    }
  }
  return 2 * sum;
}

}  // namespace plot
