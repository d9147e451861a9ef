// What a newcomer would look for in each line: its best point, and the knee of its runtime.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/verdict/knee.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"

namespace ui {
namespace {

/// Of a line that is a group: at one of its points.
std::optional<plot::Mark> mark_at(const Plotted& shown, const Line& line,
                                  const engine::Point& point, plot::Mark::Kind kind) {
  const auto place = place_of(shown.chart, shown.row(shown.group_of(line), point));
  if (!place) return {};
  return plot::Mark{place->x, place->y, "", kind, line.series.colour};
}

/// "tile ", "matrix ", "mul "; "chain " of FMAs.
std::string kernel_before_best(const kernels::Case& what) {
  const std::string tag = kernels::tag_of(what);
  return (tag.empty() ? "chain" : tag) + " ";
}

/// What the best of one line is called beside those of others.
std::string words_before_best(const Plotted& shown, const std::vector<const Line*>& noted,
                              const Line& line) {
  if (line.slow) return "at ";
  const Group& group = shown.group_of(line);
  if (shown.chart.series != engine::labels::series)
    return noted.size() > 1 && !group.word.empty() ? group.word + " " : "";
  const auto any = [&](const auto& is) {
    return std::ranges::any_of(noted,
                               [&](const Line* other) { return is(shown.group_of(*other).what); });
  };
  const auto is_unfused = [](const kernels::Case& what) {
    return what.fusion == kernels::Fusion::unfused;
  };
  const std::string kernel = kernel_before_best(group.what);
  const bool several =
      any([&](const kernels::Case& what) { return kernel_before_best(what) != kernel; });
  // Beside an unfused line, whose best may be better, it is the best of its own.
  return fmt::format("{}{}",
                     is_unfused(group.what) ? "unfused "
                     : any(is_unfused)      ? "fused "
                                            : "",
                     several ? kernel : "");
}

/// To three digits.
double rounded(double x) {
  const double digit = std::pow(10, std::floor(std::log10(x)) - 2);
  return std::round(x / digit) * digit;
}

/// Where the flat part meets the line behind it, else the first point behind it. Two points on one
/// level make a flat part; an unfused chain has none: each op adds a kernel.
std::optional<plot::Mark> knee_of(const Plotted& shown, const Line& line) {
  const Group& group = shown.group_of(line);
  if (group.what.fusion == kernels::Fusion::unfused) return {};
  const engine::FlatPart flat = engine::flat_part(group.points);
  if (flat.last == 0 || flat.last + 1 == group.points.size()) return {};
  const engine::Point& beyond = *group.points[flat.last + 1];
  auto mark = mark_at(shown, line, beyond, plot::Mark::Kind::knee);
  if (!mark) return {};
  const auto place_of_x = [&](double x) {
    return text_of(*shown.chart.x_metric(), x, is_integer(group.what));
  };
  const auto knee = engine::knee_of(group.points);
  const auto floor = mark_at(shown, line, *group.points[flat.last], plot::Mark::Kind::knee);
  if (!knee || !floor) {
    mark->label = fmt::format("runtime starts to rise at {}", place_of_x(mark->x));
    mark->short_label = fmt::format("rises at {}", place_of_x(mark->x));
    return mark;
  }
  const double x_of_one = mark->x / static_cast<double>(beyond.what.repeat);
  mark->x = knee->median * x_of_one;
  mark->y = floor->y;
  mark->label = fmt::format("knee at {}", place_of_x(rounded(mark->x)));
  mark->short_label = mark->label;
  if (!is_called(*knee)) {
    mark->label = fmt::format("knee not clear, {} to {}", units::number(*knee->low * x_of_one, 3),
                              place_of_x(rounded(*knee->high * x_of_one)));
    mark->short_label = "knee not clear";
    return mark;
  }
  if (knee->low && knee->high)
    mark->label += fmt::format(" ({} to {})", units::number(*knee->low * x_of_one, 3),
                               units::number(*knee->high * x_of_one, 3));
  return mark;
}

/// The index of the best point of a line.
std::size_t best_of(const engine::Metric& y, const Line& line) {
  const std::vector<double>& values = line.series.points->y;
  const auto best = y.rate ? std::ranges::max_element(values) : std::ranges::min_element(values);
  return static_cast<std::size_t>(best - values.begin());
}

}  // namespace

void add_best(plot::Figure& figure, const Plotted& shown) {
  const std::vector<const Line*> noted = noted_lines(shown);
  for (const Line* line : noted) {
    const plot::Points& points = *line->series.points;
    if (points.y.empty()) continue;
    const std::size_t best = best_of(shown.chart.y, *line);
    const bool sure = line->sure.empty() || line->sure[best];
    const std::string value =
        text_of(shown.chart.y, points.y[best], is_integer(shown.group_of(*line).what));
    figure.marks.push_back({points.x[best], points.y[best],
                            fmt::format("{}best {}{}", words_before_best(shown, noted, *line),
                                        value, sure ? "" : ", not sure"),
                            plot::Mark::Kind::best, line->series.colour});
  }
}

void add_knees(plot::Figure& figure, const Plotted& shown) {
  for (const Line* line : noted_lines(shown)) {
    if (line->slow) continue;
    if (auto mark = knee_of(shown, *line)) figure.marks.push_back(std::move(*mark));
  }
}

}  // namespace ui
