// Roofs -> lines: the roofline itself, and the flat roofs of the other panels.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "engine/roof_facts.hpp"
#include "engine/units.hpp"
#include "ui/figures_parts.hpp"
#include "ui/roof_labels.hpp"

namespace ui {
namespace {

using engine::Roof;
using engine::RoofKind;
using engine::RoofSource;

// FLOP/byte (or repeats) far beyond any sweep, so that a window can pan along the roofs.
constexpr double far_left = 1e-4, far_right = 1e6;

bool is_integer(const Roof& roof) { return roof.dtype && kernels::info_of(*roof.dtype).integer; }

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

/// The name of the roof that bounds a case: its own where the session has it, else that with FMA.
std::string bound_of(const engine::Session& session, const kernels::Case& what) {
  const std::vector<std::string> names = engine::compute_roof_names(what);
  const bool known =
      std::ranges::find(session.roofs, names.front(), &Roof::name) != session.roofs.end();
  return known ? names.front() : names.back();
}

/// Names of the compute roofs that bound the points; without points, the slider's case, or all that
/// are ours and best (no library's, none without FMA).
std::set<std::string> compute_roofs_in_use(const engine::Session& session,
                                           const MeasuredPoints& points, const View& view) {
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
std::set<std::string> default_roofs(const engine::Session& session, const MeasuredPoints& points,
                                    const View& view) {
  std::set<std::string> names = compute_roofs_in_use(session, points, view);
  for (const RoofSource source : {RoofSource::measured, RoofSource::datasheet}) {
    const Roof* dram = engine::bandwidth_roof(session, source);
    if (dram != nullptr) names.insert(dram->name);
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

Chosen roofs_of(const ShownSession& shown, const View& view) {
  Chosen chosen;
  const engine::Session& session = *shown.session;
  const std::set<std::string> defaults = default_roofs(session, *shown.points, view);
  for (const RoofSource source : {RoofSource::measured, RoofSource::datasheet}) {
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

bool has_ghosts(const std::vector<ShownSession>& sessions, const View& view) {
  return view.what_if && !sessions.empty();
}

/// The other device's roofs for what is on screen.
Chosen ghosts_of(const std::vector<ShownSession>& sessions, const View& view) {
  Chosen chosen;
  const std::set<std::string> names =
      compute_roofs_in_use(*view.what_if, *sessions.front().points, view);
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

void add_roof_lines(plot::Figure& figure, const Chosen& roofs, const RoofOwner& owner) {
  const auto up_to_ridge = [&](const Roof& roof) {
    const double top = Chosen::top(roofs.compute, roof.source);
    return std::pair(far_left, top > 0 ? std::max(top / roof.rate, 2 * far_left) : far_right);
  };
  const auto from_ridge = [&](const Roof& roof) {
    const double top = Chosen::top(roofs.bandwidth, roof.source);
    return std::pair(top > 0 ? std::min(roof.rate / top, far_right / 2) : far_left, far_right);
  };
  add_lines(figure, roofs.bandwidth, owner, up_to_ridge,
            [](const Roof& roof, double x) { return x * roof.rate; });
  add_lines(figure, roofs.compute, owner, from_ridge, flat);
}

/// Where each compute roof leaves the DRAM roof: one mark for roofs on one another; of data sheets
/// only what was not measured.
void add_ridges(plot::Figure& figure, const engine::Session& session, const Chosen& roofs) {
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

/// All that the roofs allow: left of every ridge memory decides, right of every ridge arithmetic;
/// between them it depends on the dtype.
void add_regions(plot::Figure& figure, const engine::Session& session, const Chosen& roofs) {
  const Roof* bandwidth = engine::bandwidth_roof(session, RoofSource::measured);
  if (bandwidth == nullptr || !(bandwidth->rate > 0)) return;
  double lowest = 0, highest = 0;
  for (const Roof* roof : roofs.compute) {
    if (roof->source != RoofSource::measured) continue;
    lowest = lowest > 0 ? std::min(lowest, roof->rate) : roof->rate;
    highest = std::max(highest, roof->rate);
  }
  if (!(lowest > 0)) return;
  const double first = lowest / bandwidth->rate, last = highest / bandwidth->rate;
  figure.regions.push_back(
      {"bandwidth-bound", -1, {far_left, first}, {far_left * bandwidth->rate, lowest}});
  if (last > first) figure.regions.push_back({"", -1, {first, last}, {lowest, highest}});
  figure.regions.push_back({"compute-bound", -1, {last, far_right}, {highest, highest}});
}

/// Nothing is over in less time than one launch takes.
void add_overhead(plot::Figure& figure, const engine::Session& session, bool beside_ghosts) {
  const Roof* launch = engine::launch_roof(session);
  if (launch == nullptr || !(launch->rate > 0)) return;
  const double seconds = 1 / launch->rate;
  figure.regions.push_back({fmt::format("launch overhead {}{}", units::seconds(seconds),
                                        beside_ghosts ? " of " + session.device.name : ""),
                            -1,
                            {far_left, far_right},
                            {seconds, seconds}});
}

/// Sessions whose roofs are drawn: the first of each device, before all the first with a sweep,
/// since a point at the slider alone should not take the roofs from the points of a recording.
std::vector<ShownSession> roofed(const std::vector<ShownSession>& sessions) {
  std::vector<ShownSession> result;
  for (const ShownSession& shown : sessions) {
    if (shown.session->roofs.empty()) continue;
    const auto same = std::ranges::find_if(result, [&](const ShownSession& other) {
      return other.session->device.name == shown.session->device.name;
    });
    if (same == result.end()) {
      result.push_back(shown);
    } else if (same->points->groups.empty() && !shown.points->groups.empty()) {
      *same = shown;
    }
  }
  return result;
}

RoofOwner owner_of(const ShownSession& shown, const std::vector<ShownSession>& all) {
  return {all.size() > 1 ? shown.session->device.name : ""};
}

}  // namespace

bool draws_roof(const engine::Session& session, const std::string& name, const View& view) {
  return drawn(name, default_roofs(session, measured_points(session), view), view);
}

void add_roofline(plot::Figure& figure, const std::vector<ShownSession>& sessions,
                  const View& view) {
  const std::vector<ShownSession> all = roofed(sessions);
  for (const ShownSession& shown : all) {
    const Chosen roofs = roofs_of(shown, view);
    add_roof_lines(figure, roofs, owner_of(shown, all));
    add_ridges(figure, *shown.session, roofs);
    if (all.size() == 1) add_regions(figure, *shown.session, roofs);
  }
  if (has_ghosts(sessions, view))
    add_roof_lines(figure, ghosts_of(sessions, view), {view.what_if->device.name, true});
}

void add_flat_roofs(plot::Figure& figure, const std::vector<ShownSession>& sessions, Panel panel,
                    const View& view) {
  const std::vector<ShownSession> all = roofed(sessions);
  const auto add = [&](const Chosen& roofs, const RoofOwner& owner) {
    const auto everywhere = [](const Roof&) { return std::pair(far_left, far_right); };
    if (panel == Panel::flops) add_lines(figure, roofs.compute, owner, everywhere, flat);
    if (panel == Panel::bandwidth) add_lines(figure, roofs.bandwidth, owner, everywhere, flat);
  };
  for (const ShownSession& shown : all) add(roofs_of(shown, view), owner_of(shown, all));
  if (panel == Panel::runtime && all.size() == 1)
    add_overhead(figure, *all.front().session, has_ghosts(sessions, view));
  if (has_ghosts(sessions, view)) add(ghosts_of(sessions, view), {view.what_if->device.name, true});
}

}  // namespace ui
