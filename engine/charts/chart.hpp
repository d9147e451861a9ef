// Charts as plain values: which points, what of them lies on which axis, what is drawn beside them.
// A lab says which charts it has; the user interface draws any of them. Knows no pixels.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/session/session.hpp"
#include "engine/verdict/predict.hpp"

namespace engine {

/// What a metric or a label sees: a point, its session, and all points of the chart.
struct Row {
  const Point& point;
  const Session& session;
  std::span<const Point* const> all{};
};

/// A number of a point, and how it is shown. One row in metrics.cpp, or a lab's own.
struct Metric {
  std::string_view name;    ///< "runtime": in options and tables
  std::string_view title;   ///< "Time of one run": of an axis
  std::string_view unit{};  ///< SI; its "FLOP" reads "OP" where integer arithmetic is shown
  /// Nothing where the point has no such value.
  std::optional<Interval> (*of)(const Row&, std::string_view key) = nullptr;
  /// A value with its unit: "1.23 ms". Null: as the unit says.
  std::string (*text)(double value, bool integer) = nullptr;
  bool rate = false;      ///< more is better: the best point is the highest
  bool si_prefix = true;  ///< ticks as 10 G; false: plain numbers
  bool log = true;        ///< the scale that suits it
  struct Range {
    double low = 1, high = 1000;
    bool operator==(const Range&) const = default;
  } range{};               ///< of an axis without points
  std::string_view key{};  ///< which axis, or which value

  std::optional<Interval> operator()(const Row& row) const {
    return of != nullptr ? of(row, key) : std::nullopt;
  }
  /// 0 where it has none.
  Interval at(const Point& point, const Session& session) const {
    return (*this)({point, session}).value_or(Interval{});
  }
  bool operator==(const Metric&) const = default;
};

/// How a metric is unlike most.
enum class Trait {
  rate,   ///< more is better
  plain,  ///< ticks are plain numbers
  linear  ///< so is the scale that suits it
};
constexpr Metric metric_of(std::string_view name, std::string_view title, std::string_view unit,
                           decltype(Metric::of) of, Metric::Range range,
                           std::initializer_list<Trait> traits = {},
                           decltype(Metric::text) text = nullptr) {
  const auto is = [&](Trait one) { return std::ranges::find(traits, one) != traits.end(); };
  return {name, title, unit, of, text, is(Trait::rate), !is(Trait::plain), !is(Trait::linear),
          range};
}

/// A value in words: "1.23 ms", "35.1 GB/s", "61 %"; before a unit that has no words of its own a
/// plain number.
std::string text_of(double value, std::string_view unit);
std::string text_of(const Metric&, double value, bool integer = false);
/// The unit of an axis: "OP/s" instead of "FLOP/s" where integer arithmetic is shown.
std::string unit_of(const Metric&, bool integer = false);

/// A word about a point, which tells it from others. One row in labels.cpp, or a lab's own.
struct Label {
  std::string_view name;
  std::string (*of)(const Row&, std::string_view key) = nullptr;  ///< null: no word
  std::string_view key{};

  std::string operator()(const Row& row) const { return of != nullptr ? of(row, key) : ""; }
  bool operator==(const Label&) const = default;
};

namespace metrics {

extern const Metric runtime, flops, bandwidth, intensity, share, working_set, factor;
/// A size of the case: "repeat", "elements", or an axis of its family.
Metric axis(std::string_view name);
/// The same with a title of its own, in plain numbers.
Metric axis(std::string_view name, std::string_view title);
/// A named extra value of the points.
Metric value(std::string_view name, std::string_view unit = "");

}  // namespace metrics

namespace labels {

extern const Label dtype, series, family, op, fusion, units, by, kernel, data, label, lab;

}  // namespace labels

/// "fp32 fused", "fp32 unfused mul", "bf16 fused tile", "bf16 fused matrix".
std::string series_name(const Point&);
/// The same with the further sizes of the case and its label: "fp32 fused gemm, m 64 · warm".
std::string point_name(const Point&);

/// How the points are drawn.
enum class Kind { lines, bars, stacked_bars, lanes };

/// What else is drawn. What one lab alone needs is a Note, a Curve or a Zone.
enum class Overlay {
  roofs,         ///< of the session, slanted over intensity, else flat
  ridge,         ///< where each compute roof leaves that of memory
  regions,       ///< bandwidth-bound, compute-bound
  attainable,    ///< what the roofs predict along a line
  knee,          ///< where a line leaves its flat part
  best,          ///< the best point of a line
  cursor,        ///< the slider and what is predicted there
  trail,         ///< what was measured at the slider
  what_if,       ///< what another device would do by its datasheet
  launch_floor,  ///< nothing is over sooner than a launch
  capacities,    ///< sizes of the caches, and what each level measured
  even,          ///< where nothing is faster and nothing slower
  density        ///< where the time went: cells, shaded by the seconds of the points in them
};

/// y = slow / fast of points that are alike in all else. Without words: the first session against
/// every other.
struct Versus {
  Label by{};
  std::string_view slow{}, fast{};

  bool sessions() const { return slow.empty() && fast.empty(); }
  bool operator==(const Versus&) const = default;
};

/// A word of the lab at a place: at a spot, or along a whole x or y.
struct Note {
  enum class At { spot, x, y } at = At::spot;
  double x = 0, y = 0;
  std::string text;
  bool operator==(const Note&) const = default;
};

/// A line of the lab's own: a fit, a bound.
struct Curve {
  std::string name;
  std::vector<double> x{}, y{};
  bool data = false;  ///< what the chart is about, and not a line beside it: has a colour

  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
  bool operator==(const Curve&) const = default;
};

/// A stretch of x in which one thing is the limit.
struct Zone {
  Regime regime;
  double from = 0, to = 0;
  bool operator==(const Zone&) const = default;
};

/// What one panel shows.
struct Chart {
  std::string_view id;           ///< "roofline": on the command line
  std::string_view title;        ///< "Roofline"
  std::string_view former_id{};  ///< under which it was asked for before
  std::string_view lab{};        ///< whose points; empty: of every lab
  Kind kind = Kind::lines;
  std::variant<Metric, Label> x{};
  Metric y{};
  Label series{}, colour{};
  /// The axis in which the points of one line differ, "repeat", or "dtype", which is units, too;
  /// empty: the series alone tells them apart.
  std::string_view along{};
  bool every_lab = false;  ///< the points of all labs, not of `lab` alone
  std::vector<kernels::Span> Point::*spans = &Point::spans;  ///< that lanes show
  bool apart = false;                   ///< in a view of its own, not on a page with the others
  bool envelope = false;                ///< of points at one x only the best of the newest run
  std::size_t least_points = 1;         ///< of a line; a shorter one is left out
  std::vector<Versus> versus{};         ///< lines are quotients of pairs
  bool (*shows)(const Row&) = nullptr;  ///< null: every point of the lab
  /// How strong the marker of a point is, 0 (not drawn) to 1. Null: 1.
  double (*strength)(const Row&) = nullptr;
  bool markers = true;  ///< false: lines alone
  std::vector<Overlay> overlays{};
  std::vector<Note> notes{};
  std::vector<Curve> curves{};
  std::vector<Zone> zones{};
  /// What to do while there are no points.
  std::string_view empty =
      "No measured points of this lab. Run it in the window, or with ridgepoint sweep --lab NAME.";

  /// The metric on x; null for words.
  const Metric* x_metric() const { return std::get_if<Metric>(&x); }
  bool has(Overlay) const;
  bool operator==(const Chart&) const = default;
};
/// Lines over a number, along whose axis points of one line differ, or bars over words. Each word
/// of `by` has a line (bars) and a colour of its own.
Chart chart_of(std::string_view id, std::string_view title, std::variant<Metric, Label> x,
               const Metric& y, const Label& by);
/// The same chart of another metric.
Chart chart_like(Chart, std::string_view id, std::string_view title, const Metric& y);

}  // namespace engine
