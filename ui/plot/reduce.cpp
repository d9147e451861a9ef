// Series reduced to what a screen can tell apart. A point takes a few comparisons, and only one
// that is drawn takes logarithms.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

/// log2 of a positive value to 2e-4, in a fraction of the time: its exponent, and a least-squares
/// fit between powers of two.
double rough_log2(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr int mantissa_bits = 52, bias = 1023;
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << mantissa_bits) - 1;
  const double t =
      std::bit_cast<double>((bits & mantissa) | (std::uint64_t{bias} << mantissa_bits)) - 1;
  const double exponent = static_cast<double>(static_cast<int>(bits >> mantissa_bits) - bias);
  return exponent + t + t * (1 - t) * (0.4381 + t * (-0.2367 + t * 0.0803));
}

/// An axis cut into equal pieces, found by comparing values in data units.
class Pieces {
 public:
  Pieces(const Axis& axis, const Scale& scale, double count) : log_(axis.log) {
    const auto pieces = static_cast<std::size_t>(std::clamp(count, 1.0, 8192.0));
    edges_.reserve(pieces + 1);
    for (std::size_t i = 0; i <= pieces; ++i) {
      edges_.push_back(scale.value_at(static_cast<double>(i) / static_cast<double>(pieces)));
    }
    edges_.front() = axis.low;
    edges_.back() = axis.high;
    low_ = along(axis.low);
    per_unit_ = static_cast<double>(pieces) / (along(axis.high) - low_);
  }

  std::size_t count() const { return edges_.size() - 1; }
  /// Where a piece on the axis begins; count() + 1: where the last one ends.
  double start(std::size_t piece) const { return edges_[piece - 1]; }
  /// Whether ascending values have left a piece that find() returned.
  bool is_behind(std::size_t piece, double value) const {
    if (piece > count()) return false;
    return piece == count() ? value > edges_.back() : value >= edges_[piece];
  }
  /// 0 before the axis, 1 to count() on it, count() + 1 behind it.
  std::size_t find(double value) {
    // Neighbours in a series often share a piece.
    if (value >= edges_[last_] && value < edges_[last_ + 1]) return last_ + 1;
    if (value < edges_.front()) return 0;
    if (value >= edges_.back()) return value == edges_.back() ? count() : count() + 1;
    const double last = static_cast<double>(count() - 1);
    auto piece = static_cast<std::size_t>(std::clamp((along(value) - low_) * per_unit_, 0.0, last));
    while (value < edges_[piece]) --piece;
    while (value >= edges_[piece + 1]) ++piece;
    last_ = piece;
    return piece + 1;
  }

 private:
  double along(double value) const { return log_ ? rough_log2(value) : value; }

  bool log_;
  std::size_t last_ = 0;  // the piece found last
  double low_ = 0, per_unit_ = 0;
  std::vector<double> edges_;
};

/// Keeps of all points within one column the first, the lowest, the highest and the last:
/// what is drawn is the same. Beyond either end of the axis all is one column.
class LineReducer {
 public:
  LineReducer(const Scene& scene, Pieces& columns, const SharedPoints& points)
      : scene_(scene), columns_(columns), points_(*points), in_order_(points.in_order()) {}

  /// Of points from `first` to before `end`, all of which the axes can show.
  std::vector<Vec> reduce(std::size_t first, std::size_t end) {
    while (first < end) {
      const std::size_t next = in_order_ ? leap(first, end) : walk(first, end);
      add_visit(first, next);
      first = next;
    }
    return std::move(line_);
  }

 private:
  /// The first point after `first` that lies in another column.
  std::size_t walk(std::size_t first, std::size_t end) {
    const std::size_t column = columns_.find(points_.x[first]);
    std::size_t next = first + 1;
    while (next < end && columns_.find(points_.x[next]) == column) ++next;
    return next;
  }

  /// The same where x ascends: in leaps twice as far each, then by halves.
  std::size_t leap(std::size_t first, std::size_t end) {
    const std::size_t column = columns_.find(points_.x[first]);
    const auto behind = [&](std::size_t i) { return columns_.is_behind(column, points_.x[i]); };
    std::size_t inside = first, step = 1;
    while (inside + step < end && !behind(inside + step)) {
      inside += step;
      step *= 2;
    }
    std::size_t outside = std::min(inside + step, end);
    while (outside - inside > 1) {
      const std::size_t middle = inside + (outside - inside) / 2;
      (behind(middle) ? outside : inside) = middle;
    }
    return outside;
  }

  /// Of points within one column.
  void add_visit(std::size_t first, std::size_t end) {
    std::size_t low = first, high = first;
    for (std::size_t i = first + 1; i < end; ++i) {
      if (points_.y[i] < points_.y[low]) low = i;
      if (points_.y[i] > points_.y[high]) high = i;
    }
    std::size_t next = first;
    for (const std::size_t i : {first, std::min(low, high), std::max(low, high), end - 1}) {
      if (i < next) continue;
      next = i + 1;
      line_.push_back({scene_.scale_x(points_.x[i]), scene_.scale_y(points_.y[i])});
    }
  }

  const Scene& scene_;
  Pieces& columns_;
  const Points& points_;
  bool in_order_;
  std::vector<Vec> line_;
};

/// Remembers which small cells of the plot hold a marker, so that a crowd is drawn once.
class SpotFilter {
 public:
  /// Each marker takes `reach` cells above and below its own, too.
  SpotFilter(const Scene& scene, double width, double height, std::size_t reach)
      : columns_(scene.x, scene.scale_x, scene.layout.plot.w / width - 1),
        rows_(scene.y, scene.scale_y, scene.layout.plot.h / height - 1),
        reach_(reach),
        seen_(columns_.count() * rows_.count()) {}

  void clear() {
    std::fill(seen_.begin(), seen_.end(), char{0});
    known_ = {};
  }
  bool is_new(double x, double y) {
    // Most points of a crowd lie where the last marker is.
    if (known_.contains(x, y)) return false;
    const std::size_t column = columns_.find(x), row = rows_.find(y);
    if (column < 1 || column > columns_.count() || row < 1 || row > rows_.count()) return false;
    char* cells = &seen_[(column - 1) * rows_.count()];
    if (cells[row - 1] != 0) return false;
    const std::size_t first = row - 1 - std::min(row - 1, reach_);
    const std::size_t last = std::min(row - 1 + reach_, rows_.count() - 1);
    std::fill(cells + first, cells + last + 1, char{1});
    known_ = {columns_.start(column), columns_.start(column + 1), rows_.start(first + 1),
              rows_.start(last + 2)};
    return true;
  }

 private:
  /// Cells, in data units.
  struct Block {
    double left = 0, right = 0, low = 0, high = 0;
    bool contains(double x, double y) const {
      return x >= left && x < right && y >= low && y < high;
    }
  };

  Pieces columns_, rows_;
  std::size_t reach_;
  std::vector<char> seen_;  // column by column
  Block known_;             // taken with the last marker
};

class Reducer {
 public:
  explicit Reducer(const Scene& scene)
      : scene_(scene),
        // As fine as a pixel at scale 1: less than a line is wide.
        columns_(scene.x, scene.scale_x, scene.layout.plot.w / std::max(scene.px(1), 1.0)),
        // Markers half a radius apart are one blob to the eye.
        few_(scene, half_radius(), half_radius(), 0),
        crowd_(scene, 4 * half_radius(), half_radius(), 1) {}

  Curve reduce(const Series& series) {
    const Points& points = *series.points;
    SpotFilter& filter = is_crowd(series.points) ? crowd_ : few_;
    filter.clear();
    Curve curve;
    // Cut where a point cannot be shown.
    std::size_t at = 0;
    while (at < points.size()) {
      std::size_t end = at;
      if (series.points.in_order()) {
        end = points.size();
      } else {
        while (end < points.size() && can_show(points, end)) ++end;
      }
      if (end > at) add_spots(points, at, end, filter, curve);
      if (series.line && end > at + 1)
        curve.lines.push_back(LineReducer(scene_, columns_, series.points).reduce(at, end));
      at = std::max(end, at + 1);
    }
    return curve;
  }

 private:
  double half_radius() const { return std::max(0.5 * scene_.px(scene_.style.marker_size), 1.0); }
  /// More points than half radii across the plot are a band of markers: side by side they show as
  /// much of it.
  bool is_crowd(const SharedPoints& points) const {
    std::size_t count = points->size();
    if (points.in_order()) {  // else all of them may be on the axis
      const auto& x = points->x;
      const auto end = x.begin() + static_cast<std::ptrdiff_t>(count);
      count = static_cast<std::size_t>(std::upper_bound(x.begin(), end, scene_.x.high) -
                                       std::lower_bound(x.begin(), end, scene_.x.low));
    }
    return static_cast<double>(count) * half_radius() > scene_.layout.plot.w;
  }
  bool can_show(const Points& points, std::size_t i) const {
    return scene_.scale_x.can_show(points.x[i]) && scene_.scale_y.can_show(points.y[i]);
  }

  void add_spots(const Points& points, std::size_t first, std::size_t end, SpotFilter& filter,
                 Curve& curve) const {
    for (std::size_t i = first; i < end; ++i) {
      const bool flagged = i < points.flagged.size() && points.flagged[i] != 0;
      if (filter.is_new(points.x[i], points.y[i]) || flagged)
        curve.spots.push_back(spot(points, i, flagged));
    }
  }

  Curve::Spot spot(const Points& points, std::size_t i, bool flagged) const {
    Curve::Spot made{{scene_.scale_x(points.x[i]), scene_.scale_y(points.y[i])}, NAN, NAN, flagged};
    if (i < points.low.size() && i < points.high.size()) {
      made.low = scene_.scale_y(points.low[i]);
      made.high = scene_.scale_y(points.high[i]);
    }
    return made;
  }

  const Scene& scene_;
  Pieces columns_;
  SpotFilter few_, crowd_;
};

}  // namespace

std::vector<Curve> reduced(const Scene& scene, std::span<const Series* const> series) {
  std::vector<Curve> curves;
  if (series.empty()) return curves;
  Reducer reducer(scene);
  for (const Series* one : series) curves.push_back(reducer.reduce(*one));
  return curves;
}

}  // namespace plot
