// One decimator for screen and files: of a figure's series it leaves out what nobody could see.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

/// A square of the plot, counted from its corner.
struct Cell {
  std::int16_t column = 0, row = 0;
  bool operator==(const Cell&) const = default;
  std::uint64_t number() const {
    return std::uint64_t{static_cast<std::uint16_t>(column)} << 16 |
           static_cast<std::uint16_t>(row);
  }
};

/// Strokes that were drawn, by look and place. Of very many it forgets some, and draws them again.
class Strokes {
 public:
  bool is_new(std::uint64_t look, Cell from, Cell to) {
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    const std::uint64_t key = (from.number() << 32 ^ to.number() ^ (look + 1) * golden) * golden;
    std::uint64_t* two = &kept_[(key >> (64 - bits)) * 2];
    if (two[0] == key || two[1] == key) return false;
    two[1] = std::exchange(two[0], key);
    return true;
  }

 private:
  static constexpr int bits = 14;
  std::vector<std::uint64_t> kept_ = std::vector<std::uint64_t>(std::size_t{2} << bits);
};

/// All that tells one stroke from another in the same place.
std::uint64_t look_of(const Series& series) {
  auto look = static_cast<std::uint64_t>(series.colour);
  look = look * 8 + static_cast<std::uint64_t>(series.marker);
  look = look * 4 + static_cast<std::uint64_t>(series.dash);
  look = look * 2 + static_cast<std::uint64_t>(series.core);
  look = look * 2 + (series.dimmed ? 1 : 0);
  return look * 4 + (series.filled ? 2 : 0) + (series.faded ? 1 : 0);
}

bool is_drawn(const Series& series) { return !series.hidden && !series.is_solid(); }

class Decimator {
 public:
  explicit Decimator(const Scene& scene)
      : scene_(scene),
        columns_(pieces(scene.layout.plot.w / std::max(scene.px(1), 1.0))),
        widths_{scene.layout.plot.w / line_width(), scene.layout.plot.h / line_width()},
        cells_{pieces(scene.layout.plot.w / half_radius() - 1),
               pieces(scene.layout.plot.h / half_radius() - 1)} {
    std::size_t points = 0;
    for (const Series& series : scene.figure.series) {
      if (is_drawn(series)) points += series.points->size();
      if ((crowd_ = points > least_crowd)) break;
    }
  }

  Curve curve_of(std::size_t index) {
    // With thousands of series, waiting for memory would take most of the time.
    const std::vector<Series>& all = scene_.figure.series;
    if (index >= 8) __builtin_prefetch(&*all[index - 8].points);
    if (index >= 3) {
      const SharedPoints& next = all[index - 3].points;
      constexpr std::size_t in_line = 4;  // of points, in 64 bytes
      for (std::size_t i = 0; i < std::min(next->size(), 16 * in_line); i += in_line)
        __builtin_prefetch(&next.logs(i));
    }
    const Series& series = all[index];
    look_ = crowd_ ? look_of(series) : index;
    find_shares(series.points);
    Curve curve{index, {}, {}};
    if (series.line) add_lines(curve);
    add_spots(series.points, curve);
    return curve;
  }

 private:
  double line_width() const { return std::max(scene_.px(scene_.style.line_width), 1.0); }
  double half_radius() const { return std::max(0.5 * scene_.px(scene_.style.marker_size), 1.0); }
  /// Into so many equal ones an axis is cut.
  static double pieces(double wanted) { return std::floor(std::clamp(wanted, 1.0, 8192.0)); }

  void find_shares(const SharedPoints& points) {
    shares_.resize(points->size());
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const double x = scene_.x.log ? points.logs(i).x : points->x[i];
      const double y = scene_.y.log ? points.logs(i).y : points->y[i];
      shares_[i] = {scene_.scale_x.share_along(x), scene_.scale_y.share_along(y)};
    }
    retraced_.assign(shares_.size(), 0);
  }

  /// Beyond either end of the axis all is one column; 0 where the point cannot be shown.
  int column_of(std::size_t i) const {
    if (!std::isfinite(shares_[i].x + shares_[i].y)) return 0;
    return static_cast<int>(std::clamp(shares_[i].x * columns_ + 2, 1.0, columns_ + 2));
  }
  /// 0 of what is no number: no integer stands for it.
  static Cell cell_at(Vec shares, Vec cells) {
    constexpr double far = 32'000;
    const auto along = [&](double at) {
      return static_cast<std::int16_t>(std::isnan(at) ? 0 : std::clamp(at, -far, far));
    };
    return {along(shares.x * cells.x), along(shares.y * cells.y)};
  }

  void add_lines(Curve& curve) {
    line_.clear();
    int column = shares_.empty() ? 0 : column_of(0);
    for (std::size_t first = 0; first < shares_.size();) {
      const int own = column;
      std::size_t next = first + 1;
      while (next < shares_.size() && (column = column_of(next)) == own) ++next;
      own == 0 ? end_line(curve) : add_visit(first, next, curve);
      first = next;
    }
    end_line(curve);
  }

  /// Of points within one column.
  void add_visit(std::size_t first, std::size_t end, Curve& curve) {
    if (end == first + 1) return add_to_line(first, curve);
    std::size_t low = first, high = first;
    for (std::size_t i = first + 1; i < end; ++i) {
      if (shares_[i].y < shares_[low].y) low = i;
      if (shares_[i].y > shares_[high].y) high = i;
    }
    std::size_t next = first;
    for (const std::size_t i : {first, std::min(low, high), std::max(low, high), end - 1}) {
      if (i < next) continue;
      next = i + 1;
      add_to_line(i, curve);
    }
  }

  void add_to_line(std::size_t i, Curve& curve) {
    if (crowd_) {
      const Cell from = std::exchange(last_, cell_at(shares_[i], widths_));
      if (!line_.empty() && from == last_) return;
      if (!line_.empty() && !segments_.is_new(look_, from, last_)) {
        retraced_[i] = 1;
        end_line(curve);
      }
    }
    line_.push_back(shares_[i]);
  }

  void end_line(Curve& curve) {
    if (line_.size() > 1) curve.lines.push_back(line_);
    line_.clear();
  }

  void add_spots(const SharedPoints& shared, Curve& curve) {
    const Points& points = *shared;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const Vec& at = shares_[i];
      const bool flagged =
          shared.any_flagged() && i < points.flagged.size() && points.flagged[i] != 0;
      if (!(at.x >= 0 && at.x <= 1 && at.y >= 0 && at.y <= 1)) continue;
      Curve::Spot spot{at, NAN, NAN, flagged};
      if (i < points.strength.size()) spot.strength = points.strength[i];
      bool longer = false;  // its error bar reaches where no other does
      if (i < points.low.size() && i < points.high.size()) {
        spot.low = scene_.scale_y(points.low[i]);
        spot.high = scene_.scale_y(points.high[i]);
        longer = bars_.is_new(look_, cell_at({at.x, spot.low}, cells_),
                              cell_at({at.x, spot.high}, cells_));
      }
      const Cell cell = cell_at(at, cells_);
      // Where a retraced line ends, there is a marker.
      const bool marks = retraced_[i] == 0 && spots_.is_new(look_, cell, {});
      if (!marks && !longer && !(flagged && rings_.is_new(look_, cell, {}))) continue;
      curve.spots.push_back(spot);
    }
  }

  const Scene& scene_;
  double columns_;      // of pixels
  Vec widths_, cells_;  // lines' widths and markers' cells along each axis
  bool crowd_ = false;
  Strokes segments_, spots_, rings_, bars_;
  // Of the series at hand.
  std::uint64_t look_ = 0;
  std::vector<Vec> shares_;
  std::vector<char> retraced_;  // whether the line to that point is left out
  std::vector<Vec> line_;
  Cell last_;  // where it has come to
};

}  // namespace

std::vector<Curve> decimated(const Scene& scene) {
  Decimator decimator(scene);
  std::vector<Curve> curves;
  for (std::size_t i = scene.figure.series.size(); i-- > 0;) {
    if (!is_drawn(scene.figure.series[i])) continue;
    Curve curve = decimator.curve_of(i);
    if (!curve.lines.empty() || !curve.spots.empty()) curves.push_back(std::move(curve));
  }
  std::ranges::reverse(curves);
  return curves;
}

}  // namespace plot
