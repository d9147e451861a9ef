// The levels of memory: the sizes of the caches, and what each of them measured.
#include <fmt/format.h>

#include <algorithm>

#include "engine/roofs/levels.hpp"
#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"

namespace ui {
namespace {

using engine::Session;

/// What a plateau is the level of: its caches' ends, and DRAM beyond the last.
struct Span {
  std::string name;
  double from = 0, to = 0;
};

std::vector<Span> spans_of(const Session& session, double smallest, double largest) {
  std::vector<Span> spans;
  double from = smallest;
  for (const engine::CacheLevel& level : engine::cache_levels(session.device)) {
    if (level.bytes <= from || from >= largest) continue;
    const double to = std::min(level.bytes, largest);
    spans.push_back({level.name, from, to});
    if (level.name == "L2") spans.push_back({engine::slices_of_l2, from, to});
    from = level.bytes;
  }
  if (from < largest) spans.push_back({"DRAM read", from, largest});
  return spans;
}

void add_plateaus(plot::Figure& figure, const Session& session, const plot::Points& curve) {
  for (const Span& span : spans_of(session, curve.x.front(), curve.x.back())) {
    const engine::Roof* roof = engine::measured_roof(session.roofs, span.name);
    if (roof == nullptr || !(roof->rate > 0)) continue;
    plot::Roof line;
    const std::string rate = units::bytes_per_second(roof->rate);
    line.label = fmt::format("{} {}", span.name, rate);
    // The guides name the levels.
    line.short_label = span.name == engine::slices_of_l2 ? line.label : rate;
    line.id = fmt::format("{} (measured)", span.name);
    line.x = {span.from, span.to};
    line.y = {roof->rate, roof->rate};
    figure.roofs.push_back(std::move(line));
  }
}

}  // namespace

void add_capacities(plot::Figure& figure, const Plotted& shown) {
  const std::vector<const Line*> lines = noted_lines(shown);
  if (lines.empty() || lines.front()->series.points->x.empty()) return;
  const Session& session = *shown.group_of(*lines.front()).session;
  add_plateaus(figure, session, *lines.front()->series.points);
  for (const engine::CacheLevel& level : engine::cache_levels(session.device)) {
    const std::string parts = level.parts > 1 ? fmt::format("{} × ", level.parts) : "";
    figure.guides.push_back({level.bytes, fmt::format("{} {}{}", level.name, parts,
                                                      units::bytes(level.bytes / level.parts))});
  }
}

void add_even(plot::Figure& figure, const Plotted& shown) {
  if (!shown.lines.empty())
    figure.roofs.push_back({.label = "equal", .thin = true, .x = {1e-6, 1e9}, .y = {1, 1}});
}

double working_set_of(const engine::Point& point) { return kernels::footprint_of(point.what); }

std::vector<const engine::Point*> level_curve(const Session& session) {
  const SessionPoints found = points_of(session, chart_with(engine::Overlay::capacities));
  return found.groups.empty() ? std::vector<const engine::Point*>{} : found.groups.front().points;
}

bool has_points(const Session& session, const engine::Chart& chart) {
  return !points_of(session, chart).groups.empty();
}

}  // namespace ui
