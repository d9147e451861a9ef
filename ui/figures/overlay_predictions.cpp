// What the roofs predict, as thin lines: the chart's own metrics of predicted points.
#include <fmt/format.h>

#include <algorithm>

#include "engine/roofs/levels.hpp"
#include "kernels/families/family.hpp"
#include "ui/figures/parts.hpp"

namespace ui {
namespace {

/// What the roofs allow for one kind of case along the chart's axis: exact between powers of two,
/// where at most one roof takes over from another.
plot::Roof predicted_line(const engine::Session& session, kernels::Case what,
                          const engine::Chart& chart, const engine::Reach& reach = {}) {
  plot::Roof line;
  line.thin = true;
  const auto predicted = [&](std::uint64_t repeat) {
    what.repeat = repeat;
    return at_reach(engine::predict(session, what, kernels::work_of(what, session.device.kind)),
                    reach);
  };
  const auto add = [&](std::uint64_t repeat) {
    const engine::Prediction at_roofs = predicted(repeat);
    const double seconds = at_roofs.complete() ? at_roofs.seconds() : 0;
    const auto place = place_of(chart, session, what, seconds).value_or(plot::Vec{});
    line.x.push_back(place.x);
    line.y.push_back(place.y);
  };
  add(1);
  for (std::uint64_t repeat = 2; repeat <= kernels::max_repeat; repeat *= 2) {
    const engine::Regime before = predicted(repeat / 2).regime();
    if (before != predicted(repeat).regime()) {
      std::uint64_t low = repeat / 2, high = repeat;
      while (high - low > 1) {
        const std::uint64_t middle = (low + high) / 2;
        (predicted(middle).regime() == before ? low : high) = middle;
      }
      if (low > repeat / 2) add(low);
      if (high < repeat) add(high);
    }
    add(repeat);
  }
  return line;
}

/// Without points where the line would have no extent, or no height.
plot::Roof drawable(plot::Roof line) {
  const bool spread = line.x.back() > line.x.front() * 1.01;  // unfused cases share one FLOP/byte
  if (spread && std::ranges::all_of(line.y, [](double y) { return y > 0; })) return line;
  return {};
}

/// "predicted" where a share of the datasheet is known for both ends of a line, be they of one
/// regime or of two: without one a part of it is all that a datasheet states, which nobody reaches.
const char* how_of_line(const engine::Session& there, kernels::Case what,
                        const engine::Reach& reach) {
  const auto known = [&](std::uint64_t repeat) {
    what.repeat = repeat;
    const kernels::Work work = kernels::work_of(what, there.device.kind);
    return reach.of(at_reach(engine::predict(there, what, work), reach).regime()) > 0;
  };
  const bool predicted = reach.of_sheet && known(1) && known(kernels::max_repeat);
  return WhatIf{.name = {}, .of_sheet = predicted}.how();
}

}  // namespace

bool what_if_fits_cache(const View& view, const kernels::Case& what) {
  return view.what_if && engine::level_of(view.what_if->device, what);
}

std::optional<WhatIf> what_if(const View& view, const engine::Session& here,
                              const kernels::Case& what) {
  if (!view.what_if || what_if_fits_cache(view, what)) return std::nullopt;
  const kernels::Work work = kernels::work_of(what, view.what_if->device.kind);
  const engine::Reach reach = engine::reach_of_sheet(here, what);
  const engine::Prediction there = at_reach(engine::predict(*view.what_if, what, work), reach);
  if (!there.complete()) return std::nullopt;
  constexpr double least_per_launch = 1e-5;  // launches take 0.5 to 5.8 us (docs/lab-notes.md)
  if (there.seconds() < least_per_launch * work.launches) return std::nullopt;
  const double reached = reach.of(there.regime());
  return WhatIf{what_if_name(view, what), there.seconds(), reached, reach.of_sheet && reached > 0};
}

std::string what_if_name(const View& view, const kernels::Case& what) {
  if (!view.what_if) return {};
  const std::string& device = view.what_if->device.name;
  return what.family->runs_on(kernels::Units::matrix)
             ? fmt::format("{}, {} units", device, name_of(what.units))
             : device;
}

std::vector<WhatIf> what_ifs(const View& view, const engine::Session& here,
                             const kernels::Case& what) {
  std::vector<WhatIf> known;
  const auto add = [&](const kernels::Case& one) {
    if (auto there = what_if(view, here, one)) known.push_back(std::move(*there));
  };
  add(what);
  if (what.family->runs_on(kernels::Units::matrix) && what.units == kernels::Units::vector) {
    kernels::Case on_matrix = what;
    on_matrix.units = kernels::Units::matrix;
    add(on_matrix);
  }
  return known;
}

void add_attainable(plot::Figure& figure, const Plotted& shown) {
  if (shown.chart.along != "repeat") return;
  for (const Line* line : noted_lines(shown)) {
    const Group& group = shown.group_of(*line);
    plot::Roof allowed = drawable(predicted_line(*group.session, group.what, shown.chart));
    allowed.colour = line->series.colour;
    if (!allowed.x.empty()) figure.roofs.push_back(std::move(allowed));
  }
}

void add_what_if(plot::Figure& figure, const Plotted& shown) {
  const View& view = shown.view;
  if (!view.what_if || shown.chart.along != "repeat" || shown.slanted) return;
  for (const Line* line : noted_lines(shown)) {
    const Group& group = shown.group_of(*line);
    if (group.place != 0) continue;
    kernels::Case shortest = group.what;
    shortest.repeat = 1;
    if (!what_if(view, *group.session, shortest)) continue;
    const engine::Reach reach = engine::reach_of_sheet(*group.session, group.what);
    plot::Roof ghost = drawable(predicted_line(*view.what_if, group.what, shown.chart, reach));
    if (ghost.x.empty()) continue;
    ghost.colour = line->series.colour;
    ghost.dash = plot::Dash::dotted;
    ghost.ghost = true;
    const std::string there = what_if_name(view, group.what);
    const char* how = how_of_line(*view.what_if, group.what, reach);
    ghost.label = fmt::format("{} on {} ({})", group.name, there, how);
    ghost.short_label = fmt::format("{} ({})", there, how);
    figure.roofs.push_back(std::move(ghost));
  }
}

}  // namespace ui
