// Roofs -> lines: the roofline itself, and the flat roofs of the other panels.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/roofs/levels.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/overhead.hpp"
#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"

namespace ui {
namespace {

using engine::Roof;
using engine::RoofKind;
using engine::RoofSource;

// FLOP/byte (or repeats) far beyond any sweep, so that a window can pan along the roofs.
constexpr double far_left = 1e-4, far_right = 1e6;

/// The line of a roof, without its points and its names.
plot::Roof line_for(const Roof& roof, bool ghost) {
  plot::Roof line;
  line.dash = roof.source == RoofSource::measured ? plot::Dash::solid : plot::Dash::dashed;
  if (ghost) line.dash = plot::Dash::dotted;
  line.ghost = ghost;
  line.colour = roof.dtype ? colour_of(*roof.dtype) : -1;
  return line;
}

/// The roofs of one session that its panels show.
struct Chosen {
  std::vector<const Roof*> bandwidth, compute;

  /// The highest of a source, else of any; 0 = none.
  static double top(const std::vector<const Roof*>& roofs, RoofSource source) {
    double own = 0, any = 0;
    for (const Roof* roof : roofs) {
      any = std::max(any, roof->rate);
      if (roof->source == source) own = std::max(own, roof->rate);
    }
    return own > 0 ? own : any;
  }
};

/// The name of the roof that bounds a case: the best fitting one that was measured, else that the
/// session has at all, else the last, such as that with FMA. Empty: no arithmetic bounds it.
std::string bound_of(const engine::Session& session, const kernels::Case& what) {
  const std::vector<std::string> names = engine::compute_roof_names(what);
  for (const RoofSource source : engine::roof_sources)
    for (const std::string& name : names)
      if (engine::roof_named(session.roofs, name, source) != nullptr) return name;
  return names.empty() ? "" : names.back();
}

/// Names of the compute roofs that bound the points; without points, the slider's case, or all that
/// are ours and best (no library's, none without FMA).
std::set<std::string> compute_roofs_in_use(const engine::Session& session,
                                           const SessionPoints& points, const View& view) {
  std::set<std::string> names;
  for (const kernels::Case& kind : points.kinds) names.insert(bound_of(session, kind));
  if (view.probes)
    for (const kernels::Case& kind : points.probe_kinds) names.insert(bound_of(session, kind));
  if (names.empty() && view.cursor) names.insert(bound_of(session, *view.cursor));
  if (!names.empty()) return names;
  for (const Roof& roof : session.roofs) {
    const bool best = roof.name.ends_with(" FMA") || roof.name.ends_with(" matrix");
    if (roof.kind == RoofKind::compute && roof.source == RoofSource::measured && best)
      names.insert(roof.name);
  }
  return names;
}

/// What is drawn unless the user says otherwise.
std::set<std::string> default_roofs(const engine::Session& session, const SessionPoints& points,
                                    const View& view) {
  std::set<std::string> names = compute_roofs_in_use(session, points, view);
  for (const RoofSource source : engine::roof_sources) {
    const Roof* dram = engine::bandwidth_roof(session, source);
    if (dram != nullptr) names.insert(dram->name);
  }
  for (const kernels::Case& kind : points.kinds) {
    const Roof* memory = engine::memory_roof(session, RoofSource::measured, kind);
    if (memory != nullptr) names.insert(memory->name);
    const auto level = engine::level_of(session.device, kind);
    if (!level) continue;
    names.insert(level->name);
    names.insert(engine::roof_name_of(session.device, *level, kind));
  }
  return names;
}

bool drawn(const std::string& name, const std::set<std::string>& defaults, const View& view) {
  const auto wish = view.roofs.find(name);
  return wish != view.roofs.end() ? wish->second : defaults.contains(name);
}

/// The highest of each source first: a label stands above its roof where there is room, and where
/// there is none, the next roof's has to see where it stays.
void put_in_order(std::vector<const Roof*>& roofs) {
  std::ranges::stable_sort(roofs, [](const Roof* a, const Roof* b) {
    return a->source == b->source ? a->rate > b->rate : a->source == RoofSource::measured;
  });
}

Chosen roofs_of(const SessionPoints& shown, const View& view) {
  Chosen chosen;
  const engine::Session& session = *shown.session;
  const std::set<std::string> defaults = default_roofs(session, shown, view);
  for (const RoofSource source : engine::roof_sources) {
    if (source == RoofSource::datasheet && !view.datasheet_roofs) continue;
    for (const Roof& roof : session.roofs) {
      if (roof.source != source || !(roof.rate > 0) || !drawn(roof.name, defaults, view)) continue;
      if (roof.kind == RoofKind::compute) chosen.compute.push_back(&roof);
      if (roof.kind == RoofKind::bandwidth) chosen.bandwidth.push_back(&roof);
    }
  }
  put_in_order(chosen.compute);
  return chosen;
}

/// Whether the other device's roofs are drawn, too.
bool has_ghosts(const Plotted& shown) {
  return shown.chart.has(engine::Overlay::what_if) && shown.view.what_if && !shown.sessions.empty();
}

/// The other device's roofs for what is on screen.
Chosen ghosts_of(const Plotted& shown) {
  const View& view = shown.view;
  Chosen chosen;
  const std::set<std::string> names =
      compute_roofs_in_use(*view.what_if, shown.sessions.front(), view);
  for (const Roof& roof : view.what_if->roofs) {
    if (roof.kind == RoofKind::bandwidth) chosen.bandwidth.push_back(&roof);
    if (roof.kind == RoofKind::compute && names.contains(roof.name))
      chosen.compute.push_back(&roof);
  }
  // A slope that no peak ends would promise anything.
  if (chosen.compute.empty()) chosen.bandwidth.clear();
  return chosen;
}

/// Lines for the roofs of one kind, where `ends` tells from which x to which x each reaches.
template <typename Ends, typename Height>
void add_lines(plot::Figure& figure, const std::vector<const Roof*>& roofs, const RoofOwner& owner,
               Ends ends, Height height) {
  std::vector<plot::Roof> lines;
  for (const Roof* roof : roofs) {
    plot::Roof line = line_for(*roof, owner.ghost);
    const auto [from, to] = ends(*roof);
    line.x = {from, to};
    line.y = {height(*roof, from), height(*roof, to)};
    lines.push_back(std::move(line));
  }
  name_lines(lines, roofs, owner);
  std::ranges::move(lines, std::back_inserter(figure.roofs));
}

double flat(const Roof& roof, double) { return roof.rate; }

/// What matrix units sustain at the power limit, below their roof, where `from` tells the least x.
template <typename From>
void add_sustained(plot::Figure& figure, const std::vector<const Roof*>& roofs,
                   const RoofOwner& owner, double last, From from) {
  for (const Roof* roof : roofs) {
    if (!(roof->sustained > 0)) continue;
    plot::Roof line = line_for(*roof, owner.ghost);
    line.thin = true;
    line.x = {from(roof->sustained), last};
    line.y = {roof->sustained, roof->sustained};
    line.label =
        fmt::format("{} sustained, {}", roof->name, engine::rate_text(*roof, roof->sustained));
    line.short_label = "sustained";
    line.id = fmt::format("{} {} sustained", owner.device, roof->name);
    figure.roofs.push_back(std::move(line));
  }
}

void add_slanted(plot::Figure& figure, const Chosen& roofs, const RoofOwner& owner) {
  const auto up_to_ridge = [&](const Roof& roof) {
    const double top = Chosen::top(roofs.compute, roof.source);
    return std::pair(far_left, top > 0 ? std::max(top / roof.rate, 2 * far_left) : far_right);
  };
  const auto ridge_of = [&](double rate, RoofSource source) {
    const double top = Chosen::top(roofs.bandwidth, source);
    return top > 0 ? std::min(rate / top, far_right / 2) : far_left;
  };
  add_lines(figure, roofs.bandwidth, owner, up_to_ridge,
            [](const Roof& roof, double x) { return x * roof.rate; });
  add_lines(
      figure, roofs.compute, owner,
      [&](const Roof& roof) { return std::pair(ridge_of(roof.rate, roof.source), far_right); },
      flat);
  add_sustained(figure, roofs.compute, owner, far_right,
                [&](double rate) { return ridge_of(rate, RoofSource::measured); });
}

/// Where each compute roof leaves the DRAM roof: one mark for roofs on one another; of datasheets
/// only what was not measured.
void add_ridges_of(plot::Figure& figure, const engine::Session& session, const Chosen& roofs) {
  std::set<std::string> named;
  std::vector<std::pair<const Roof*, std::size_t>> marked;
  for (const Roof* roof : roofs.compute) {
    const Roof* bandwidth = engine::bandwidth_roof(session, roof->source);
    const double ridge = engine::ridge_point(bandwidth, roof);
    if (!(ridge > 0) || !named.insert(roof->name).second) continue;
    const int colour = roof->dtype ? colour_of(*roof->dtype) : -1;
    const auto same = std::ranges::find_if(marked, [&](const auto& other) {
      return other.first->source == roof->source && is_one_line(*other.first, *roof);
    });
    if (same != marked.end()) {
      plot::Mark& mark = figure.marks[same->second];
      if (mark.colour != colour) mark.colour = -1;
      continue;
    }
    marked.emplace_back(roof, figure.marks.size());
    const std::string unit = is_integer(*roof) ? "OP/byte" : "FLOP/byte";
    figure.marks.push_back({ridge, roof->rate,
                            fmt::format("ridge {} {}", units::number(ridge, 3), unit),
                            plot::Mark::Kind::ridge, colour, false});
  }
}

/// Memory decides left of every ridge, arithmetic right of every one; between them the dtype.
void add_regions_of(plot::Figure& figure, const engine::Session& session, const Chosen& roofs) {
  const Roof* bandwidth = engine::bandwidth_roof(session, RoofSource::measured);
  if (bandwidth == nullptr || !(bandwidth->rate > 0)) return;
  plot::Range rates;
  for (const Roof* roof : roofs.compute)
    if (roof->source == RoofSource::measured) rates.add(roof->rate);
  if (rates.empty()) return;
  const double first = rates.low / bandwidth->rate, last = rates.high / bandwidth->rate;
  const auto add = [&](std::string name, plot::Regime regime, plot::Vec from, plot::Vec to) {
    figure.regions.push_back({std::move(name), regime, {from.x, to.x}, {from.y, to.y}});
  };
  add("bandwidth-bound", plot::Regime::bandwidth, {far_left, far_left * bandwidth->rate},
      {first, rates.low});
  if (last > first) add("", plot::Regime::none, {first, rates.low}, {last, rates.high});
  add("compute-bound", plot::Regime::compute, {last, rates.high}, {far_right, rates.high});
}

/// Flat: the roofs of what is on the y axis.
void add_flat(plot::Figure& figure, const Plotted& shown, const Chosen& roofs,
              const RoofOwner& owner) {
  static constexpr double most_elements = 1e15;  // x need not be an intensity
  const auto everywhere = [](const Roof&) { return std::pair(far_left, double{most_elements}); };
  const bool bytes = shown.chart.y.unit == engine::metrics::bandwidth.unit;
  add_lines(figure, bytes ? roofs.bandwidth : roofs.compute, owner, everywhere, flat);
  if (!bytes)
    add_sustained(figure, roofs.compute, owner, most_elements, [](double) { return far_left; });
}

/// Sessions whose roofs are drawn: the first of each device, before all the first with a sweep,
/// since a point at the slider alone should not take the roofs from the points of a recording. Of a
/// fleet the first eight devices: more roofs would hide the points.
std::vector<const SessionPoints*> roofed(const Plotted& plotted) {
  constexpr std::size_t most = 8;
  std::vector<const SessionPoints*> result;
  std::map<std::string_view, std::size_t> of_device;
  for (const SessionPoints& shown : plotted.sessions) {
    if (shown.session->roofs.empty()) continue;
    const auto [same, is_new] = of_device.try_emplace(shown.session->device.name, result.size());
    if (is_new) {
      if (result.size() == most) break;
      result.push_back(&shown);
    } else if (result[same->second]->groups.empty() && !shown.groups.empty()) {
      result[same->second] = &shown;
    }
  }
  return result;
}

/// Those of a session, and of others of the same device the compute roofs that it lacks: they bound
/// points of other element types.
Chosen roofs_of_device(const Plotted& plotted, const SessionPoints& first) {
  Chosen chosen = roofs_of(first, plotted.view);
  std::set<std::pair<std::string_view, RoofSource>> known;
  const auto is_new = [&](const Roof* roof) {
    return known.insert({roof->name, roof->source}).second;
  };
  for (const Roof* roof : chosen.compute) is_new(roof);
  for (const SessionPoints& other : plotted.sessions) {
    if (&other == &first || other.groups.empty() ||
        other.session->device.name != first.session->device.name)
      continue;
    const Chosen more = roofs_of(other, plotted.view);
    std::ranges::copy_if(more.compute, std::back_inserter(chosen.compute), is_new);
  }
  put_in_order(chosen.compute);
  return chosen;
}

/// Of the points shown the one with the least; where there are no points, that of a launch; nothing
/// where none is known.
engine::Overhead least_overhead(const SessionPoints& shown) {
  const engine::Session& session = *shown.session;
  std::optional<engine::Overhead> least;
  for (const Group& group : shown.groups) {
    for (const engine::Point* point : group.points) {
      engine::Overhead one = engine::overhead_of(session, *point);
      const bool measured = !one.roof.empty();  // not a point that stands for it
      if (measured && one.seconds > 0 && (!least || one.seconds < least->seconds))
        least = std::move(one);
    }
  }
  if (least) return *least;
  if (!shown.groups.empty()) return {};
  return engine::overhead_of(session, kernels::Case{}, kernels::Launched::stream);
}

}  // namespace

bool draws_roof(const engine::Session& session, const std::string& name, const View& view) {
  const engine::Chart& chart = chart_with(engine::Overlay::ridge);
  return drawn(name, default_roofs(session, points_of(session, chart), view), view);
}

void add_roofs(plot::Figure& figure, const Plotted& shown) {
  const auto add = [&](const Chosen& roofs, const RoofOwner& owner) {
    if (shown.slanted) {
      add_slanted(figure, roofs, owner);
    } else {
      add_flat(figure, shown, roofs, owner);
    }
  };
  const auto all = roofed(shown);
  for (const SessionPoints* one : all)
    add(roofs_of_device(shown, *one), {all.size() > 1 ? one->session->device.name : ""});
  if (has_ghosts(shown)) add(ghosts_of(shown), {shown.view.what_if->device.name, true});
}

void add_ridges(plot::Figure& figure, const Plotted& shown) {
  for (const SessionPoints* one : roofed(shown))
    add_ridges_of(figure, *one->session, roofs_of_device(shown, *one));
}

void add_regions(plot::Figure& figure, const Plotted& shown) {
  const auto all = roofed(shown);
  if (all.size() == 1)
    add_regions_of(figure, *all.front()->session, roofs_of_device(shown, *all.front()));
}

void add_launch_floor(plot::Figure& figure, const Plotted& shown) {
  const auto all = roofed(shown);
  if (all.size() != 1) return;
  const engine::Overhead floor = least_overhead(*all.front());
  if (!(floor.seconds > 0)) return;
  const std::string whose = has_ghosts(shown) ? " of " + all.front()->session->device.name : "";
  const std::string name =
      floor.roof.starts_with(engine::overhead_word) ? floor.roof : "launch overhead";
  figure.regions.push_back({fmt::format("{} {}{}", name, units::seconds(floor.seconds), whose),
                            plot::Regime::overhead,
                            {far_left, far_right},
                            {floor.seconds, floor.seconds},
                            true});
}

}  // namespace ui
