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
  explicit LineReducer(const Scene& scene) : scene_(scene) {}

  void add(std::size_t column, double x, double y) {
    const Point point{x, y, count_};
    if (count_ == 0 || column != column_) {
      flush();
      column_ = column;
      first_ = low_ = high_ = last_ = {x, y, 0};
      count_ = 1;
      return;
    }
    if (y < low_.y) low_ = point;
    if (y > high_.y) high_ = point;
    last_ = point;
    ++count_;
  }
  std::vector<Vec> take() {
    flush();
    return std::exchange(line_, {});
  }

 private:
  struct Point {
    double x = 0, y = 0;
    std::size_t at = 0;  // within the column
  };

  void flush() {
    if (count_ == 0) return;
    const bool low_before = low_.at < high_.at;
    std::size_t next = 0;
    for (const Point& point :
         {first_, low_before ? low_ : high_, low_before ? high_ : low_, last_}) {
      if (point.at < next) continue;
      next = point.at + 1;
      line_.push_back({scene_.scale_x(point.x), scene_.scale_y(point.y)});
    }
    count_ = 0;
  }

  const Scene& scene_;
  std::size_t column_ = 0, count_ = 0;
  Point first_, low_, high_, last_;
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

  void clear() { std::fill(seen_.begin(), seen_.end(), char{0}); }
  bool is_new(double x, double y) {
    const std::size_t column = columns_.find(x), row = rows_.find(y);
    if (column < 1 || column > columns_.count() || row < 1 || row > rows_.count()) return false;
    char* cells = &seen_[(column - 1) * rows_.count()];
    if (cells[row - 1] != 0) return false;
    const std::size_t first = row - 1 - std::min(row - 1, reach_);
    const std::size_t last = std::min(row - 1 + reach_, rows_.count() - 1);
    std::fill(cells + first, cells + last + 1, char{1});
    return true;
  }

 private:
  Pieces columns_, rows_;
  std::size_t reach_;
  std::vector<char> seen_;  // column by column
};

class Reducer {
 public:
  explicit Reducer(const Scene& scene)
      : scene_(scene),
        // As fine as a pixel at scale 1: less than a line is wide.
        columns_(scene.x, scene.scale_x, scene.layout.plot.w / std::max(scene.px(1), 1.0)),
        // Markers half a radius apart are one blob to the eye.
        few_(scene, half_radius(), half_radius(), 0),
        crowd_(scene, 2 * half_radius(), half_radius(), 1) {}

  Curve reduce(std::size_t index) {
    const Series& series = scene_.figure.series[index];
    const std::size_t size = std::min(series.x.size(), series.y.size());
    SpotFilter& filter = is_crowd(size) ? crowd_ : few_;
    filter.clear();
    Curve curve{index, {}, {}};
    LineReducer line(scene_);
    const auto end_line = [&] {
      std::vector<Vec> ended = line.take();
      if (ended.size() > 1) curve.lines.push_back(std::move(ended));
    };
    for (std::size_t i = 0; i < size; ++i) {
      const double x = series.x[i], y = series.y[i];
      if (!scene_.scale_x.can_show(x) || !scene_.scale_y.can_show(y)) {
        end_line();
        continue;
      }
      if (series.line) line.add(columns_.find(x), x, y);
      const bool flagged = i < series.flagged.size() && series.flagged[i] != 0;
      if (filter.is_new(x, y) || flagged) curve.spots.push_back(spot(series, i, flagged));
    }
    end_line();
    return curve;
  }

 private:
  double half_radius() const { return std::max(0.5 * scene_.px(scene_.style.marker_size), 1.0); }
  /// More points than half radii across the plot are a band of markers; a radius apart, it looks
  /// the same.
  bool is_crowd(std::size_t points) const {
    return static_cast<double>(points) * half_radius() > scene_.layout.plot.w;
  }

  Curve::Spot spot(const Series& series, std::size_t i, bool flagged) const {
    Curve::Spot made{{scene_.scale_x(series.x[i]), scene_.scale_y(series.y[i])}, NAN, NAN, flagged};
    if (i < series.low.size() && i < series.high.size()) {
      made.low = scene_.scale_y(series.low[i]);
      made.high = scene_.scale_y(series.high[i]);
    }
    return made;
  }

  const Scene& scene_;
  Pieces columns_;
  SpotFilter few_, crowd_;
};

}  // namespace

void reduce_curves(Scene& scene) {
  scene.curves.clear();
  Reducer reducer(scene);
  for (std::size_t i = 0; i < scene.figure.series.size(); ++i) {
    if (!scene.figure.series[i].hidden) scene.curves.push_back(reducer.reduce(i));
  }
}

}  // namespace plot
