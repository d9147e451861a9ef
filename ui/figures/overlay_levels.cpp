// The levels of memory: the sizes of the caches, and what each of them measured.
#include <fmt/format.h>

#include <algorithm>

#include "engine/roofs/levels.hpp"
#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"

namespace ui {
namespace {

using engine::Session;

/// The roof of each level over its working sets: those of its caches, and DRAM beyond the last.
void add_plateaus(plot::Figure& figure, const Session& session, const plot::Points& curve) {
  const auto add = [&](const std::string& name, double from, double to) {
    const engine::Roof* roof = engine::measured_roof(session.roofs, name);
    if (roof == nullptr || !(roof->rate > 0)) return;
    plot::Roof& line = figure.roofs.emplace_back();
    const std::string rate = units::bytes_per_second(roof->rate);
    line.label = fmt::format("{} {}", name, rate);
    // The guides name the levels.
    line.short_label = name == engine::slices_of_l2 ? line.label : rate;
    line.id = fmt::format("{} (measured)", name);
    line.x = {from, to};
    line.y = {roof->rate, roof->rate};
  };
  double from = curve.x.front();
  const double largest = curve.x.back();
  for (const engine::CacheLevel& level : engine::cache_levels(session.device)) {
    if (level.bytes <= from || from >= largest) continue;
    const double to = std::min(level.bytes, largest);
    add(level.name, from, to);
    if (level.name == "L2") add(engine::slices_of_l2, from, to);
    from = level.bytes;
  }
  if (from < largest) add("DRAM read", from, largest);
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

bool has_points(const Session& session, const engine::Chart& chart) {
  return !points_of(session, chart).groups.empty();
}

}  // namespace ui
