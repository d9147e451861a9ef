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
  const double c = std::cos(angle), s = std::sin(angle);
  const auto at = [&](double x, double y) {
    return Vec{centre.x + c * x - s * y, centre.y + s * x + c * y};
  };
  return {at(-w / 2, -h / 2), at(w / 2, -h / 2), at(w / 2, h / 2), at(-w / 2, h / 2)};
}

Rect Box::bounds() const {
  const double c = std::abs(std::cos(angle)), s = std::abs(std::sin(angle));
  const double width = c * w + s * h, height = s * w + c * h;
  return {centre.x - width / 2, centre.y - height / 2, width, height};
}

Box box_of(const Rect& rect) {
  return {{rect.x + rect.w / 2, rect.y + rect.h / 2}, rect.w, rect.h, 0};
}

bool overlap(const Box& a, const Box& b) {
  const double reach_x = std::abs(a.centre.x - b.centre.x),
               reach_y = std::abs(a.centre.y - b.centre.y);
  const double radii = (std::hypot(a.w, a.h) + std::hypot(b.w, b.h)) / 2;
  if (reach_x >= radii || reach_y >= radii) return false;
  const auto of_a = a.corners(), of_b = b.corners();
  return !separated_along_edges(of_a, of_b) && !separated_along_edges(of_b, of_a);
}

bool inside(const Rect& inner, const Rect& outer) {
  constexpr double slack = 1e-6;
  return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
         inner.right() <= outer.right() + slack && inner.bottom() <= outer.bottom() + slack;
}

// Liang and Barsky (1984).
bool clip_segment(const Rect& rect, Vec& from, Vec& to) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  if (!std::isfinite(dx) || !std::isfinite(dy)) return false;
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
  const Vec start = from;
  from = {start.x + enter * dx, start.y + enter * dy};
  to = {start.x + leave * dx, start.y + leave * dy};
  return true;
}

InkMap::InkMap(const Rect& area, double cell)
    : area_(area),
      cell_(std::max(cell, 1.0)),
      columns_(static_cast<int>(std::clamp(std::ceil(area.w / cell_), 0.0, 8192.0))),
      rows_(static_cast<int>(std::clamp(std::ceil(area.h / cell_), 0.0, 8192.0))),
      cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

std::uint8_t* InkMap::cell_at(Vec p) {
  const double column = std::floor((p.x - area_.x) / cell_),
               row = std::floor((p.y - area_.y) / cell_);
  if (!(column >= 0 && column < columns_ && row >= 0 && row < rows_)) return nullptr;
  return &cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                 static_cast<std::size_t>(column)];
}

void InkMap::add_dot(Vec centre, double radius, std::uint8_t weight) {
  const double steps = std::ceil(radius / cell_);
  for (double dy = -steps; dy <= steps; ++dy) {
    for (double dx = -steps; dx <= steps; ++dx) {
      std::uint8_t* cell = cell_at({centre.x + dx * cell_, centre.y + dy * cell_});
      if (cell != nullptr) *cell = std::max(*cell, weight);
    }
  }
}

void InkMap::add_line(Vec from, Vec to, std::uint8_t weight) {
  if (!clip_segment(area_, from, to)) return;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const int steps = static_cast<int>(length / (0.7 * cell_)) + 1;
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    std::uint8_t* cell =
        cell_at({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    if (cell != nullptr) *cell = std::max(*cell, weight);
  }
}

double InkMap::under(const Box& box) const {
  const double c = std::cos(box.angle), s = std::sin(box.angle);
  const int across = static_cast<int>(box.w / cell_) + 1,
            down = static_cast<int>(box.h / cell_) + 1;
  double sum = 0;
  for (int j = 0; j <= down; ++j) {
    const double y = box.h * (static_cast<double>(j) / down - 0.5);
    for (int i = 0; i <= across; ++i) {
      const double x = box.w * (static_cast<double>(i) / across - 0.5);
      const double column = std::floor((box.centre.x + c * x - s * y - area_.x) / cell_);
      const double row = std::floor((box.centre.y + s * x + c * y - area_.y) / cell_);
      if (!(column >= 0 && column < columns_ && row >= 0 && row < rows_)) continue;
      sum += cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                    static_cast<std::size_t>(column)];
    }
  }
  return sum;
}

}  // namespace plot
