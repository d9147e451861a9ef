#include "ui/figures/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/compare/told.hpp"
#include "ui/figures/parts.hpp"

namespace ui {
namespace {

using engine::Comparison;
using engine::Pair;

/// What stands on the x axis: sizes, or words where there are none.
struct Over {
  std::string axis{};                ///< empty: words
  std::vector<std::string> other{};  ///< axes that tell pairs of one name and place apart
};

/// "m 64", "64 Mi elements".
std::string size_text(const engine::SizeOfPair& size) {
  if (size.axis == "elements") return size.text + " elements";
  return fmt::format("{} {}", size.axis, size.text);
}

/// The sizes that are not on the x axis, each between these texts.
std::string sizes_of(const Pair& pair, const Over& over, std::string_view before,
                     std::string_view after) {
  std::string sizes;
  for (const std::string& axis : over.other)
    if (const engine::SizeOfPair* size = engine::size_of(pair, axis))
      sizes += fmt::format("{}{}{}", before, size_text(*size), after);
  return sizes;
}

/// "fp32 fused, m 64".
std::string line_name(const Pair& pair, const Over& over) {
  return pair.name + sizes_of(pair, over, ", ", "");
}

/// "m 64, fp32 matmul": the size first, because the ends of long words are cut.
std::string word_of(const Pair& pair, const Over& over) {
  return sizes_of(pair, over, "", ", ") + pair.name;
}

/// Whether one axis says where a pair lies on the other: m and n of square matrices.
bool determines(const Comparison& comparison, const std::string& axis, const std::string& other) {
  std::map<std::uint64_t, std::uint64_t> values;
  return std::ranges::all_of(comparison.pairs, [&](const Pair& pair) {
    const auto *one = engine::size_of(pair, axis), *two = engine::size_of(pair, other);
    const std::uint64_t there = two != nullptr ? two->value : 0;
    return values.try_emplace(one != nullptr ? one->value : 0, there).first->second == there;
  });
}

/// The axes but those that an earlier one determines.
std::vector<std::string> telling(const Comparison& comparison,
                                 const std::vector<std::string>& axes) {
  std::vector<std::string> kept;
  for (const std::string& axis : axes) {
    if (std::ranges::none_of(
            kept, [&](const auto& known) { return determines(comparison, known, axis); }))
      kept.push_back(axis);
  }
  return kept;
}

/// How many points a line over this axis has on average.
double points_per_line(const Comparison& comparison, const Over& over) {
  std::set<std::string> names;
  for (const Pair& pair : comparison.pairs) {
    const engine::SizeOfPair* size = engine::size_of(pair, over.axis);
    if (size == nullptr || size->value == 0) return 0;  // no place on a log axis
    names.insert(line_name(pair, over));
  }
  return static_cast<double>(comparison.pairs.size()) / static_cast<double>(names.size());
}

/// The axis with the longest lines; words where no line has two points.
Over over(const Comparison& comparison) {
  const std::vector<std::string> axes = engine::varying_axes(comparison);
  Over best;
  std::set<std::string> names;
  for (const Pair& pair : comparison.pairs) names.insert(pair.name);
  if (names.size() < comparison.pairs.size()) best.other = telling(comparison, axes);
  double longest = 1.5;
  for (const std::string& axis : axes) {
    Over candidate{axis};
    std::ranges::copy_if(axes, std::back_inserter(candidate.other), [&](const auto& other) {
      return other != axis && !determines(comparison, axis, other);
    });
    const double points = points_per_line(comparison, candidate);
    if (points <= longest) continue;
    longest = points;
    best = candidate;
  }
  return best;
}

/// What a panel shows of a pair.
std::optional<engine::Interval> compared_value(const Pair& pair, ComparedPanel panel) {
  if (panel == ComparedPanel::time) return pair.time;
  if (panel == ComparedPanel::share) return pair.share;
  return panel == ComparedPanel::side_a ? pair.a.seconds : pair.b.seconds;
}

bool is_ratio(ComparedPanel panel) {
  return panel == ComparedPanel::time || panel == ComparedPanel::share;
}

bool is_doubtful(const Pair& pair, ComparedPanel panel) {
  const auto doubtful = [](const engine::Measured& side) {
    return !side.unsure.empty() || !side.doubts.empty();
  };
  if (panel == ComparedPanel::side_a) return doubtful(pair.a);
  if (panel == ComparedPanel::side_b) return doubtful(pair.b);
  return pair.outcome == engine::Outcome::undecided || doubtful(pair.a) || doubtful(pair.b);
}

void add_point(plot::Points& points, double x, const engine::Interval& value, bool doubtful) {
  points.x.push_back(x);
  add_value(points, value);
  points.flagged.push_back(doubtful ? 1 : 0);
}

plot::Series series_named(const std::string& name, std::size_t place) {
  plot::Series series;
  series.name = name;
  series.id = name;
  series.colour = static_cast<int>(place % 8);
  series.marker = marker_of(static_cast<int>(place));
  series.filled = false;
  return series;
}

/// A line for each name, over sizes.
void add_lines_over(plot::Figure& figure, const Comparison& comparison, const Over& over,
                    ComparedPanel panel) {
  std::vector<plot::Points> lines;
  for (const Pair& pair : comparison.pairs) {
    const auto value = compared_value(pair, panel);
    const engine::SizeOfPair* size = engine::size_of(pair, over.axis);
    const std::string name = line_name(pair, over);
    const auto known = std::ranges::find(figure.series, name, &plot::Series::name);
    const auto place = static_cast<std::size_t>(known - figure.series.begin());
    if (known == figure.series.end()) {
      figure.series.push_back(series_named(name, place));
      lines.emplace_back();
    }
    if (value)
      add_point(lines[place], static_cast<double>(size->value), *value, is_doubtful(pair, panel));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) figure.series[i].points = std::move(lines[i]);
}

/// Points over the names of the pairs.
void add_over_words(plot::Figure& figure, const Comparison& comparison, const Over& over,
                    ComparedPanel panel) {
  plot::Series series = series_named("B / A", 0);
  if (!is_ratio(panel)) series.name = "duration";
  series.line = false;
  plot::Points points;
  for (const Pair& pair : comparison.pairs) {
    if (const auto value = compared_value(pair, panel))
      add_point(points, static_cast<double>(figure.x.words.size()), *value,
                is_doubtful(pair, panel));
    figure.x.words.push_back(word_of(pair, over));
  }
  series.points = std::move(points);
  figure.series.push_back(std::move(series));
}

plot::Roof level(double y, const std::string& label, plot::Dash dash) {
  return {.label = label, .dash = dash, .thin = true, .x = {-1, 1e18}, .y = {y, y}, .id = label};
}

/// Where B and A are equal, and how far from that they are called so, where that can be seen.
void add_levels(plot::Figure& figure) {
  constexpr double above = 1 + engine::equal_within;
  figure.roofs.push_back(level(1, "equal", plot::Dash::solid));
  if (!figure.y.log) {
    figure.roofs.push_back(level(above, "+3 %", plot::Dash::dashed));
    figure.roofs.push_back(level(1 / above, "\u22123 %", plot::Dash::dashed));
  }
  if (figure.x.log)
    for (plot::Roof& roof : figure.roofs) roof.x.front() = 1e-6;
}

/// All values with their intervals; of ratios 1 and what is called equal, too.
plot::Range range_of(const Comparison& comparison, std::span<const ComparedPanel> panels) {
  plot::Range range;
  for (const ComparedPanel panel : panels) {
    for (const Pair& pair : comparison.pairs) {
      const auto value = compared_value(pair, panel);
      if (!value) continue;
      for (const double end : {value->median, value->low.value_or(0), value->high.value_or(0)})
        if (end > 0 && std::isfinite(end)) range.add(end);
    }
  }
  return range;
}

/// Ratios that lie close together on a linear axis, which shows a few percent.
void fit_ratios(plot::Axis& axis, const Comparison& comparison, ComparedPanel panel) {
  plot::Range range = range_of(comparison, std::array{panel});
  constexpr double least = 0.08, most_linear = 4;  // to either side of 1; from end to end
  range.add(1 - least);
  range.add(1 + least);
  axis.log = range.high / range.low > most_linear;
  if (axis.log) {
    const double margin = std::pow(range.high / range.low, 0.08);
    axis.low = range.low / margin;
    axis.high = range.high * margin;
  } else {
    const double margin = 0.1 * (range.high - range.low);
    axis.low = std::max(0.0, range.low - margin);
    axis.high = range.high + margin;
  }
}

/// The durations of both sides: the same axis for both.
void fit_durations(plot::Axis& axis, const Comparison& comparison) {
  const plot::Range range =
      range_of(comparison, std::array{ComparedPanel::side_a, ComparedPanel::side_b});
  if (range.empty()) return;
  const double decade = std::sqrt(std::max(1.0, 10 * range.low / range.high));
  const double margin = std::pow(std::max(10.0, range.high / range.low), 0.08);
  axis.low = range.low / decade / margin;
  axis.high = range.high * decade * margin;
}

std::string panel_title(const Comparison& comparison, ComparedPanel panel) {
  if (panel == ComparedPanel::time) return "Duration, B over A";
  if (panel == ComparedPanel::share) return "Share of the roof, B over A";
  return panel == ComparedPanel::side_a ? "A: " + comparison.a : "B: " + comparison.b;
}

plot::Axis y_axis(const Comparison& comparison, ComparedPanel panel) {
  plot::Axis axis;
  if (!is_ratio(panel)) {
    axis.title = engine::metrics::runtime.title;
    axis.unit = engine::metrics::runtime.unit;
    fit_durations(axis, comparison);
    return axis;
  }
  const bool scaled = std::ranges::any_of(comparison.pairs, &Pair::per_element);
  axis.title = panel == ComparedPanel::share ? "Share of B / share of A"
               : scaled                      ? "Time of B / time of A, per element"
                                             : "Time of B / time of A";
  axis.si_prefix = false;
  fit_ratios(axis, comparison, panel);
  return axis;
}

}  // namespace

plot::Figure figure_of(const Comparison& comparison, ComparedPanel panel) {
  plot::Figure figure;
  figure.title = panel_title(comparison, panel);
  if (comparison.pairs.empty()) {
    figure.empty_text = comparison.why_none;
    return figure;
  }
  const Over across = over(comparison);
  if (across.axis.empty()) {
    figure.x.log = false;
    add_over_words(figure, comparison, across, panel);
  } else {
    const engine::Metric metric = engine::metrics::axis(across.axis);
    figure.x.title = metric.title;
    figure.x.si_prefix = metric.si_prefix;
    add_lines_over(figure, comparison, across, panel);
  }
  if (std::ranges::any_of(figure.series,
                          [](const plot::Series& one) { return one.points.any_flagged(); }))
    figure.keys.push_back(
        {plot::Key::Sign::doubtful, is_ratio(panel) ? "undecided or doubtful" : "doubtful"});
  plot::fit(figure);
  figure.y = y_axis(comparison, panel);
  if (is_ratio(panel)) add_levels(figure);
  if (std::ranges::all_of(figure.series,
                          [](const plot::Series& one) { return one.points->x.empty(); }))
    figure.empty_text = "No share of a roof is known on both sides.";
  return figure;
}

plot::Page page_of(const Sessions& a_and_b, const Comparison& comparison) {
  std::vector<plot::Figure> figures;
  for (const ComparedPanel panel : compared_panels) figures.push_back(figure_of(comparison, panel));
  Sessions different{a_and_b};
  const auto repeated = std::ranges::unique(different);
  different.erase(repeated.begin(), repeated.end());
  plot::Page page = page_around(different, {}, {}, std::move(figures));
  page.title = fmt::format("A: {}, B: {}", comparison.a, comparison.b);
  std::vector<std::string> told = engine::notes_of(comparison);
  told.insert(told.begin(), engine::summary_of(comparison));
  page.caption.insert(page.caption.begin(), told.begin(), told.end());
  page.brief_caption.insert(page.brief_caption.begin(), engine::summary_of(comparison));
  page.table = engine::table_of(comparison);
  return page;
}

}  // namespace ui
