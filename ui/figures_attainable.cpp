// What the roofs predict, as thin lines through the panels whose x axis is repeat or FLOP/byte.
#include <fmt/format.h>

#include <algorithm>

#include "ui/figures_parts.hpp"

namespace ui {
namespace {

/// What the roofs allow for one kind of case over all repeats: exact between powers of two, where
/// at most one roof takes over from another.
plot::Roof line_over_repeats(const engine::Session& session, kernels::Case what, Panel panel,
                             XAxis axis) {
  plot::Roof line;
  line.thin = true;
  line.colour = colour_of(what.dtype);
  const auto predicted = [&](std::uint64_t repeat) {
    what.repeat = repeat;
    return engine::predict(session, what, kernels::work_of(what));
  };
  const auto add = [&](std::uint64_t repeat) {
    const engine::Prediction at_roofs = predicted(repeat);
    const double seconds = at_roofs.complete() ? at_roofs.seconds() : 0;
    const kernels::Work work = kernels::work_of(what);
    line.x.push_back(x_of(panel, axis, what, work));
    line.y.push_back(y_of(panel, work, seconds));
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

}  // namespace

std::optional<double> what_if_seconds(const View& view, const kernels::Case& what) {
  if (!view.what_if) return std::nullopt;
  const kernels::Work work = kernels::work_of(what);
  const engine::Prediction there = engine::predict(*view.what_if, what, work);
  if (!there.complete()) return std::nullopt;
  // A launch takes a GPU 1.3 to 2.5 us (method.md), and what is over so soon fits its L2, too.
  constexpr double least_per_launch = 1e-5;
  if (there.seconds() < least_per_launch * work.launches) return std::nullopt;
  return there.seconds();
}

std::string what_if_name(const View& view, const kernels::Case& what) {
  if (!view.what_if) return {};
  const std::string& device = view.what_if->device.name;
  return what.family == kernels::Family::tile
             ? fmt::format("{}, {} units", device, name_of(what.units))
             : device;
}

std::vector<WhatIf> what_ifs(const View& view, const kernels::Case& what) {
  std::vector<WhatIf> known;
  const auto add = [&](const kernels::Case& one) {
    if (const auto seconds = what_if_seconds(view, one))
      known.push_back({what_if_name(view, one), *seconds});
  };
  add(what);
  if (what.family == kernels::Family::tile && what.units == kernels::Units::vector) {
    kernels::Case on_matrix = what;
    on_matrix.units = kernels::Units::matrix;
    add(on_matrix);
  }
  return known;
}

plot::Roof attainable_line(const Group& group, Panel panel, XAxis axis) {
  return drawable(line_over_repeats(*group.session, group.what, panel, axis));
}

void add_ghosts(plot::Figure& figure, const std::vector<Group>& groups, Panel panel,
                const View& view) {
  for (const Group& group : groups) {
    if (group.earlier || view.hidden.contains(group.id) || group.place != 0) continue;
    kernels::Case shortest = group.what;
    shortest.repeat = 1;
    if (!what_if_seconds(view, shortest)) continue;
    plot::Roof ghost = drawable(line_over_repeats(*view.what_if, group.what, panel, view.x));
    if (ghost.x.empty()) continue;
    ghost.dash = plot::Dash::dotted;
    ghost.ghost = true;
    const std::string there = what_if_name(view, group.what);
    ghost.label = fmt::format("{} on {} (predicted)", group.name, there);
    ghost.short_label = fmt::format("{} (predicted)", there);
    figure.roofs.push_back(std::move(ghost));
  }
}

}  // namespace ui
