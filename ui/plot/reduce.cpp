// Series reduced to what a screen can tell apart.
#include <algorithm>
#include <cmath>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

/// Keeps of all points within one pixel column the first, the lowest, the highest and the last:
/// what is drawn is the same.
class LineReducer {
 public:
  explicit LineReducer(double columns) : columns_(columns) {}

  void add(Vec shares) {
    const double column = shares.x * columns_;
    if (count_ == 0 || column < column_ || column >= column_ + 1) {
      flush();
      column_ = std::floor(column);
      first_ = low_ = high_ = last_ = shares;
      low_at_ = high_at_ = 0;
      count_ = 1;
      return;
    }
    if (shares.y < low_.y) low_ = shares, low_at_ = count_;
    if (shares.y > high_.y) high_ = shares, high_at_ = count_;
    last_ = shares;
    ++count_;
  }
  std::vector<Vec> take() {
    flush();
    return std::exchange(line_, {});
  }

 private:
  void flush() {
    if (count_ > 0) line_.push_back(first_);
    if (count_ > 3) {
      line_.push_back(low_at_ < high_at_ ? low_ : high_);
      line_.push_back(low_at_ < high_at_ ? high_ : low_);
    } else if (count_ == 3) {
      line_.push_back(low_at_ == 1 ? low_ : high_at_ == 1 ? high_ : first_);
    }
    if (count_ > 1) line_.push_back(last_);
    count_ = 0;
  }

  double columns_;
  double column_ = 0;
  int count_ = 0, low_at_ = 0, high_at_ = 0;
  Vec first_, low_, high_, last_;
  std::vector<Vec> line_;
};

/// Remembers which small cells of the plot hold a marker, so that a crowd is drawn once.
class SpotFilter {
 public:
  SpotFilter(double columns, double rows)
      : columns_(static_cast<std::size_t>(std::clamp(columns, 1.0, 8192.0))),
        rows_(static_cast<std::size_t>(std::clamp(rows, 1.0, 8192.0))),
        seen_(columns_ * rows_) {}

  void clear() { std::fill(seen_.begin(), seen_.end(), char{0}); }
  bool is_new(Vec shares) {
    if (!(shares.x >= 0 && shares.x <= 1 && shares.y >= 0 && shares.y <= 1)) return false;
    const auto column = static_cast<std::size_t>(shares.x * static_cast<double>(columns_ - 1));
    const auto row = static_cast<std::size_t>(shares.y * static_cast<double>(rows_ - 1));
    const std::size_t at = row * columns_ + column;
    if (seen_[at] != 0) return false;
    seen_[at] = 1;
    return true;
  }

 private:
  std::size_t columns_, rows_;
  std::vector<char> seen_;
};

Curve reduce(const Scene& scene, std::size_t index, SpotFilter& filter) {
  const Series& series = scene.figure.series[index];
  Curve curve{index, {}, {}};
  LineReducer reducer(scene.layout.plot.w);
  filter.clear();
  const auto end_line = [&] {
    std::vector<Vec> line = reducer.take();
    if (line.size() > 1) curve.lines.push_back(std::move(line));
  };
  const std::size_t size = std::min(series.x.size(), series.y.size());
  const bool bars = series.low.size() >= size && series.high.size() >= size;
  for (std::size_t i = 0; i < size; ++i) {
    const Vec at{scene.scale_x(series.x[i]), scene.scale_y(series.y[i])};
    if (!std::isfinite(at.x) || !std::isfinite(at.y)) {
      end_line();
      continue;
    }
    if (series.line) reducer.add(at);
    const bool flagged = i < series.flagged.size() && series.flagged[i] != 0;
    if (!filter.is_new(at) && !flagged) continue;
    Curve::Spot spot{at, NAN, NAN, flagged};
    if (bars) {
      spot.low = scene.scale_y(series.low[i]);
      spot.high = scene.scale_y(series.high[i]);
    }
    curve.spots.push_back(spot);
  }
  end_line();
  return curve;
}

}  // namespace

void reduce_curves(Scene& scene) {
  const Rect& plot = scene.layout.plot;
  // Markers half a radius apart are one blob to the eye.
  const double cell = std::max(scene.px(0.5 * scene.style.marker_size), 1.0);
  SpotFilter filter(plot.w / cell, plot.h / cell);
  scene.curves.clear();
  for (std::size_t i = 0; i < scene.figure.series.size(); ++i) {
    if (!scene.figure.series[i].hidden) scene.curves.push_back(reduce(scene, i, filter));
  }
}

}  // namespace plot
