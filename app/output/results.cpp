#include "app/output/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "engine/roofs/roof_facts.hpp"
#include "engine/spec.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/kept/kept_source.hpp"
#include "kernels/units.hpp"
#include "ui/figures/figures.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/figures/roof_rows.hpp"

namespace app {
namespace {

/// The points that are ok: series in the order in which they first appear, each by repeat.
std::vector<const engine::Point*> measured_points(const engine::Session& session) {
  std::vector<const engine::Point*> points;
  std::map<std::string, std::size_t> place_of_series;
  for (const engine::Point& point : session.points) {
    if (!ui::in_sweep(point) || point.status != engine::Status::ok) continue;
    points.push_back(&point);
    place_of_series.emplace(engine::point_name(point), place_of_series.size());
  }
  const auto key = [&](const engine::Point* point) {
    return std::pair(place_of_series.at(engine::point_name(*point)), point->what.repeat);
  };
  std::stable_sort(points.begin(), points.end(),
                   [&](const auto* a, const auto* b) { return key(a) < key(b); });
  return points;
}

/// "1.23 ms ±0.5 %"; where there is no interval, how few samples.
std::string time_text(const engine::Seconds& seconds) {
  const std::string median = units::seconds(seconds.median);
  const std::size_t samples = seconds.samples.size();
  if (samples == 1) return median + ", 1 sample";
  if (!seconds.has_interval()) return fmt::format("{}, {} samples", median, samples);
  const double reach = engine::reach_of(seconds);
  if (reach > 1) return fmt::format("{} {}", median, engine::spread_in_words(reach));
  return fmt::format("{} ±{:.1f} %", median, 100 * reach);
}

/// " (disturbed)" of a roof that may be too low; mostly empty.
std::string flag_text(const engine::Roof& roof) {
  const std::string_view flag = flag_of(roof);
  return flag.empty() ? "" : fmt::format(" ({})", flag);
}

/// " ±0.4 %" of a roof; empty where it has no interval.
std::string spread_of(const engine::Roof& roof) {
  const double reach = engine::reach_of(roof);
  if (reach > 1) return " " + engine::spread_in_words(reach);
  return reach > 0 ? fmt::format(" ±{:.1f} %", 100 * reach) : "";
}

/// "bandwidth-bound", and what else is to be known of the point: "compute-bound, throttled".
std::string regime_text(const engine::Session& session, const engine::Point& point) {
  std::string text(engine::limit_of(session, point));
  const std::string flags = ui::short_flags_of(session, point);
  if (!flags.empty()) text += ", " + flags;
  return text;
}

std::string per_clock_text(const engine::Session& session, const engine::Point& point) {
  const double value =
      ui::per_clock_per_core(point.flops_per_second(), point.conditions, session.device);
  return value > 0 ? units::number(value, 3) : "-";
}

std::vector<std::string> row_of(const engine::Session& session, const engine::Point& point) {
  const bool integer = kernels::info_of(point.what.dtype).integer;
  const double share = engine::share_of_roofs(session, point);
  return {engine::point_name(point),
          std::to_string(point.what.repeat),
          units::count(static_cast<double>(point.what.elements)),
          units::number(point.work.intensity(), 3),
          time_text(point.seconds),
          units::flops_per_second(point.flops_per_second(), integer),
          per_clock_text(session, point),
          units::bytes_per_second(point.bytes_per_second()),
          share > 0 ? units::percent(share) : "-",
          regime_text(session, point)};
}

constexpr std::ptrdiff_t elements_column = 2, per_clock_column = 6;

/// Whether points of one series differ in their elements.
bool vary_in_size(const std::vector<const engine::Point*>& points) {
  std::map<std::string, std::uint64_t> elements;
  return std::ranges::any_of(points, [&](const engine::Point* point) {
    const auto [of, is_new] = elements.emplace(engine::point_name(*point), point->what.elements);
    return of->second != point->what.elements;
  });
}

std::string roof_line(const engine::Session& session) {
  std::vector<std::string> roofs;
  for (const engine::Roof& roof : session.roofs) {
    if (roof.source == engine::RoofSource::measured)
      roofs.push_back(fmt::format("{} {}{}", roof.name, engine::rate_text(roof), flag_text(roof)));
  }
  return roofs.empty() ? "" : fmt::format("Measured roofs: {}.\n", fmt::join(roofs, ", "));
}

std::string headline(const engine::Session& session, const engine::Point& point) {
  return fmt::format("{}, repeat {}: {}\n", engine::point_name(point), point.what.repeat,
                     engine::judge(session, point).headline);
}

/// A point that stands for a roof that the device has no kernel for: "no bf16 matrix roof: ...".
bool stands_for_missing_roof(const engine::Point& point) {
  return !ui::in_sweep(point) && point.status == engine::Status::skipped &&
         point.why.starts_with("no ") && point.why.find(" roof: ") != std::string::npos;
}

}  // namespace

std::string aligned(const Rows& rows, const std::vector<std::size_t>& left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], units::width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - units::width_of(row[i]), ' ');
      const bool to_the_left = std::ranges::find(left, i) != left.end();
      line += (i == 0 ? "" : "  ") + (to_the_left ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string aligned(const Rows& rows) {
  return rows.empty() ? "" : aligned(rows, {0, rows.front().size() - 1});
}

Rows results_rows(const engine::Session& session, bool per_clock) {
  const std::vector<const engine::Point*> points = measured_points(session);
  if (points.empty()) return {};
  // Rates carry their units; the other columns are counted alike. OP stands for both.
  const bool integer = std::ranges::any_of(points, [](const engine::Point* point) {
    return kernels::info_of(point->what.dtype).integer;
  });
  const char* what = integer ? "OP" : "FLOP";
  Rows rows{{"series", "repeat", "elements", fmt::format("{}/byte", what), "time",
             fmt::format("{}/s", what),
             fmt::format("{}/clk/{}", what, engine::core_word(session.device)), "byte/s", "of roof",
             "regime"}};
  bool any_clock = false;
  for (const engine::Point* point : points) {
    rows.push_back(row_of(session, *point));
    any_clock = any_clock || rows.back()[per_clock_column] != "-";
  }
  const auto without = [&](std::ptrdiff_t column) {
    for (auto& row : rows) row.erase(row.begin() + column);
  };
  if (!per_clock || !any_clock) without(per_clock_column);
  if (!vary_in_size(points)) without(elements_column);
  return rows;
}

std::string results_table(const engine::Session& session, std::optional<int> columns) {
  const std::string whole = aligned(results_rows(session, true));
  const bool fits =
      !columns || std::ranges::all_of(std::views::split(whole, '\n'), [&](const auto& line) {
        return units::width_of({line.begin(), line.end()}) <= static_cast<std::size_t>(*columns);
      });
  return fits ? whole : aligned(results_rows(session, false));
}

std::string kernel_sources(const engine::Session& session) {
  Rows rows;
  for (const engine::Point& point : session.points) {
    const std::string file = kernels::source_named_in(point.note).string();
    std::vector<std::string> row{"  " + engine::point_name(point), file};
    if (!file.empty() && std::ranges::find(rows, row) == rows.end()) rows.push_back(std::move(row));
  }
  return rows.empty() ? "" : "Sources of the generated kernels:\n" + aligned(rows);
}

/// What it holds at the power limit, and at which clock and power.
std::vector<std::string> sustained_row(const ui::RoofRow& row, const kernels::DeviceInfo& device) {
  const engine::Roof& roof = *row.measured;
  const kernels::Conditions& then = roof.sustained_conditions;
  std::string how = "at the power limit";
  if (then.clock_hz) how += ", " + units::hertz(*then.clock_hz);
  if (then.power_w) how += fmt::format(", {} W", units::number(*then.power_w, 3));
  const double per_clock = ui::per_clock_per_core(roof.sustained, then, device);
  const std::string at_clock = per_clock > 0 ? fmt::format("{} {}", units::number(per_clock, 3),
                                                           row.integer() ? "OP" : "FLOP")
                                             : "-";
  return {"  sustained", engine::rate_text(roof.sustained, row.kind, row.integer()),
          "-",           "-",
          at_clock,      how};
}

Rows roofs_rows(const engine::Session& session) {
  Rows rows{{"roof", "measured", std::string(engine::stated_title(session.device)), "of peak",
             engine::per_clock_title(session.device), "fastest shape"}};
  for (const ui::RoofRow& row : ui::roof_rows(session)) {
    if (row.measured == nullptr) continue;
    const std::string measured =
        measured_text(row) + spread_of(*row.measured) + flag_text(*row.measured);
    rows.push_back({row.name, measured, stated_text(row), share_text(row),
                    ui::per_clock_text(row, session.device), shape_text(row)});
    if (row.measured->sustained > 0) rows.push_back(sustained_row(row, session.device));
  }
  return rows.size() > 1 ? rows : Rows{};
}

std::string roofs_table(const engine::Session& session) { return aligned(roofs_rows(session)); }

std::string verdict_lines(const engine::Session& session) {
  std::string text = roof_line(session);
  const std::vector<const engine::Point*> points = measured_points(session);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string series = engine::point_name(*points[i]);
    const bool first = i == 0 || engine::point_name(*points[i - 1]) != series;
    const bool last = i + 1 == points.size() || engine::point_name(*points[i + 1]) != series;
    if (first || last) text += headline(session, *points[i]);
  }
  return text;
}

std::vector<std::string> left_out(const engine::Session& session) {
  // In the order of the first point of each group.
  std::vector<std::pair<std::string, std::vector<const engine::Point*>>> groups;
  for (const engine::Point& point : session.points) {
    if (!ui::in_sweep(point) || point.status == engine::Status::ok) continue;
    const std::string key = engine::point_name(point) + point.why;
    auto found = std::ranges::find(
        groups, key, [](const auto& group) -> const auto& { return group.first; });
    if (found == groups.end()) found = groups.insert(groups.end(), {key, {}});
    found->second.push_back(&point);
  }
  std::vector<std::string> sentences;
  for (const engine::Point& point : session.points) {
    if (stands_for_missing_roof(point)) sentences.push_back("skipped: " + point.why);
  }
  for (const auto& [key, points] : groups) {
    std::vector<std::uint64_t> repeats;
    for (const engine::Point* point : points) repeats.push_back(point->what.repeat);
    const engine::Point& point = *points.front();
    const bool generated = point.what.by == kernels::By::generated;
    sentences.push_back(fmt::format("{} {}{}, repeat {}: {}", ui::word_for(point.status),
                                    generated ? "the generated kernel of " : "",
                                    engine::point_name(point), engine::repeats_text(repeats),
                                    point.why));
  }
  return sentences;
}

}  // namespace app
