// A figure as plain values in data units. Knows nothing of pixels, devices or sessions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plot {

struct Vec {
  double x = 0, y = 0;
  bool operator==(const Vec&) const = default;
};

struct Colour {
  float r = 0, g = 0, b = 0, a = 1;
  bool operator==(const Colour&) const = default;
};

/// Shape of a series' points.
enum class Marker { circle, square, triangle, diamond, none };
/// What lies inside an open marker.
enum class Core { none, dot };
enum class Dash { solid, dashed, dotted, dash_dotted };
/// What limits a runtime. Each has a colour that nothing else has.
enum class Regime { none, overhead, bandwidth, compute };
/// In place of an index into Style::series_colours, of a series that is a regime: its colour.
inline constexpr int first_regime_colour = 1000;
constexpr int colour_of_regime(Regime regime) {
  return first_regime_colour + static_cast<int>(regime);
}

/// One axis. `unit` is appended to the title with the SI prefix that the ticks use ("GFLOP/s");
/// ticks of a log axis are decades with 1-2-5 minor ticks.
struct Axis {
  std::string title{};
  std::string unit{};         ///< "FLOP/s", "s", "byte/s", "FLOP/byte", "" (plain numbers), "B"
                              ///< (sizes of memory: log axes have ticks at powers of two), "%"
                              ///< (of 1)
  double low = 1, high = 10;  ///< data range shown; log axes need low > 0
  bool log = true;
  bool si_prefix = true;             ///< ticks as 1 M, 10 G; false: plain numbers
  std::vector<std::string> words{};  ///< in place of numbers, on a linear axis: word i lies at i
  bool operator==(const Axis&) const = default;
  /// True for values that have a place on the axis or beyond its ends.
  bool can_show(double value) const { return std::isfinite(value) && (!log || value > 0); }
};

/// The values that an axis has to show; none while low > high.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  bool operator==(const Range&) const = default;
  bool empty() const { return low > high; }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const Range& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

/// The points of a series.
struct Points {
  std::vector<double> x{}, y{};
  std::vector<double> low{}, high{};  ///< error bars of y; empty = none
  std::vector<char> flagged{};        ///< doubtful points: their outlines are dashed; empty = none
  std::vector<float> strength{};      ///< of markers, 0 to 1, the strongest first; empty = 1
  std::vector<double> from{};         ///< where bars begin; empty = at the axis
  std::vector<std::string> labels{};  ///< above bars, or in those that begin in the air

  /// Of x and y; what only one of them has is no point.
  std::size_t size() const { return std::min(x.size(), y.size()); }
};

/// Points that do not change any more: copies share them, and know that they are the same.
class SharedPoints {
 public:
  SharedPoints();  ///< none
  SharedPoints(Points);

  const Points& operator*() const { return kept_->points; }
  const Points* operator->() const { return &kept_->points; }
  /// Whether these are the very same points, not only equal ones.
  bool operator==(const SharedPoints& other) const { return kept_ == other.kept_; }
  /// Of the points that log axes can show, and of their error bars.
  const Range& log_x() const { return kept_->log_x; }
  const Range& log_y() const { return kept_->log_y; }
  /// The logarithms of a point, NaN where there are none.
  const Vec& logs(std::size_t i) const { return kept_->logs[i]; }
  bool any_flagged() const { return kept_->any_flagged; }

 private:
  struct Kept {
    Points points;
    Range log_x, log_y;
    std::vector<Vec> logs;
    bool any_flagged = false;
  };
  std::shared_ptr<const Kept> kept_;
};

/// A second scale of x, drawn above the plot: the values of the x axis times a constant.
struct AxisAbove {
  std::string title{};
  std::string unit{};
  double factor = 1;
  bool operator==(const AxisAbove&) const = default;
};

/// A rectangle in a lane: from x to x, around a whole number on y, with its name inside.
struct Span {
  double begin = 0, end = 0;
  double lane = 0;
  std::string name{};
  bool operator==(const Span&) const = default;
};

struct Series {
  std::string name{};              ///< legend text
  std::string id{};                ///< tells it from the others; not drawn
  int colour = 0;                  ///< index into Style::series_colours (colour = dtype)
  Marker marker = Marker::circle;  ///< fused circle, unfused square
  bool filled = true;              ///< filled = matrix units, open = vector units
  Core core = Core::none;          ///< a dot = a tile on vector units; not seen in filled markers
  bool line = true;
  Dash dash = Dash::solid;  ///< of the line; other devices are dashed or dotted
  bool faded = false;   ///< an earlier run; in the legend only when no other series has its name
  bool hidden = false;  ///< toggled off in the legend; still listed there
  bool dimmed = false;  ///< another one is pointed at
  SharedPoints points{};
  double bar = 0;  ///< width of bars up to the points, in x; 0: a line with markers
  std::vector<Span> spans{};
  bool operator==(const Series&) const = default;
  /// Whether it is drawn as areas.
  bool is_solid() const { return bar > 0 || !spans.empty(); }
};

/// A roof: a line in data units, labelled along itself.
struct Roof {
  std::string label{};        ///< empty: an unlabelled line
  std::string short_label{};  ///< takes its place where room is short; empty: none
  std::string long_label{};   ///< takes its place where there is room for more; empty: none
  Dash dash = Dash::solid;
  bool thin = false;             ///< a guide for the eye rather than a roof
  bool ghost = false;            ///< of another device: all of it stays in view
  int colour = -1;               ///< index into series colours, -1 = neutral
  std::vector<double> x{}, y{};  ///< polyline
  std::string id{};              ///< tells it from the others, whoever has the label; not drawn
  bool operator==(const Roof&) const = default;
};

/// An emphasised spot. In a figure: a ridge, the best point of a series (its label alone), a knee;
/// in an overlay: the probe, or what is predicted for it.
struct Mark {
  double x = 0, y = 0;
  std::string label{};
  enum class Kind { ridge, probe, predicted, best, knee } kind = Kind::ridge;
  int colour = -1;
  bool faded = false;         ///< small and without its label
  std::string short_label{};  ///< takes its place where room is short; empty: none
  float strength = 1;         ///< of its colour: 1 stands out, towards 0 it fades away
  bool operator==(const Mark&) const = default;
};

/// A tinted area, with its name inside, from a line whose points ascend in x to the x axis.
struct Region {
  std::string name{};
  Regime regime = Regime::none;
  std::vector<double> x{}, y{};
  bool edge = false;  ///< the line itself is drawn, too
  bool operator==(const Region&) const = default;
};

/// A shaded rectangle in data units, behind all lines.
struct Cell {
  Vec low, high;
  float strength = 1;  ///< 1: the darkest
  bool operator==(const Cell&) const = default;
};

/// The movable cursor: a vertical line at x.
struct Cursor {
  double x = 0;
  std::string label{};
  bool operator==(const Cursor&) const = default;
};

/// What moves over a figure with the slider: the cursor, and marks of kinds `probe` and
/// `predicted`. A figure is drawn once and kept; its overlay is drawn over it in every frame.
/// Nothing of the figure steps aside for it, and pictures in files have none.
struct Overlay {
  std::optional<Cursor> cursor{};
  std::vector<Mark> marks{};
  bool operator==(const Overlay&) const = default;
};

/// A vertical landmark: a dotted line over the whole height, named at its top.
struct Guide {
  double x = 0;
  std::string label{};
  bool operator==(const Guide&) const = default;
};

/// What a legend says of that which is no series: the sign, and what it means.
struct Key {
  enum class Sign {
    doubtful,  ///< a marker with a dashed outline
    faded,     ///< a pale line
    interval,  ///< an error bar
    guide,     ///< a thin line
    ghost,     ///< a dotted line
    probe,     ///< the dot at the slider
    trail,     ///< a small dot where the slider was
    density    ///< a shaded cell
  } sign = Sign::doubtful;
  std::string text{};
  bool operator==(const Key&) const = default;
};

struct Figure {
  std::string title{};
  Axis x, y;
  std::optional<AxisAbove> above{};
  std::vector<Series> series{};
  std::vector<Region> regions{};
  std::vector<Cell> cells{};
  std::vector<Roof> roofs{};
  std::vector<Mark> marks{};
  std::vector<Guide> guides{};
  std::vector<Key> keys{};   ///< behind the series in the legend
  std::string empty_text{};  ///< shown in the middle while there are no points
};

/// Sets axis limits: all points with their error bars, all marks, and the roofs above them, with a
/// margin, at least a decade. Lines may reach far beyond the data (a window pans along them):
/// without points the limits of x stay at least as wide as they are, and the roofs within them set
/// those of y. Does not look at hidden series.
void fit(Figure&);

}  // namespace plot
