// The lab `roofs`: every ceiling of a device, measured.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roof_tasks.hpp"

namespace engine {
namespace {

using kernels::Case;

/// What the level curve reads of the device so far; nothing until all of it was measured.
std::optional<std::vector<CurvePoint>> curve_of(const std::vector<Case>& cases,
                                                const Results& so_far) {
  std::vector<CurvePoint> curve;
  for (const Case& what : cases) {
    const auto point =
        std::ranges::find_if(so_far.points, [&](const Point* one) { return one->what == what; });
    if (point == so_far.points.end()) return std::nullopt;
    if ((*point)->status == Status::ok)
      curve.push_back({kernels::footprint_of(what), (*point)->bytes_per_second(),
                       what.op() == kernels::Op::l2});
  }
  return curve;
}

/// The roofs of the device and the level curve; then those of the levels that the curve shows, and
/// why the others have none. Which shapes are tried turns out on the way.
Plan plan(const Spec& spec, const Place& place, const Results& so_far) {
  Plan plan{.asks = {}, .roofs = all_roofs(place, spec.data)};
  const std::vector<Case> curve_reads = level_reads(place, spec.data);
  for (const Case& what : curve_reads) plan.asks.push_back({.what = what, .once = true});
  const auto curve = curve_of(curve_reads, so_far);
  const auto missing =
      std::ranges::find_if(plan.roofs, [](const RoofTask& task) { return !task.why_not.empty(); });
  if (!curve) {
    plan.roofs.erase(missing, plan.roofs.end());  // said last
    return plan;
  }
  std::vector<RoofTask> levels;
  for (const Plateau& plateau : plateaus_of(*curve, cache_levels(place.info))) {
    if (plateau.why.empty())
      std::ranges::move(level_roofs(place.info, plateau, spec.data), std::back_inserter(levels));
    else
      plan.notes.push_back(fmt::format("no {} roof: {}", plateau.level, plateau.why));
  }
  plan.roofs.insert(missing, levels.begin(), levels.end());
  return plan;
}

std::vector<Chart> charts(const Results&) {
  Chart levels{.id = "levels", .title = "Memory levels"};
  levels.x = metrics::working_set;
  levels.y = metrics::bandwidth;
  levels.y.title = "Read bandwidth";
  levels.along = "elements";
  levels.envelope = true;
  levels.least_points = 3;  // the reads of one size tried for a roof are no curve
  levels.shows = [](const Row& row) {
    const Case& what = row.point.what;
    return what.family == kernels::Family::stream && what.op() == kernels::Op::read;
  };
  levels.overlays = {Overlay::capacities};
  levels.empty =
      "No level curve yet. Measure all roofs in the window, or run ridgepoint sweep --lab roofs.";
  return {levels};
}

}  // namespace

extern constinit const Lab roofs_lab{
    .name = "roofs",
    .title = "All roofs",
    .group = "Roofline",
    .question = "How fast can this device go?",
    .about =
        "Every roof of the device: memory, each cache, launches, and peak FLOP/s of every element "
        "type. Each is measured with the fastest of several kernel shapes. The level curve shows "
        "reads of working sets from the smallest cache to DRAM; its plateaus are the roofs of the "
        "caches.",
    .needs = "The shapes and working sets that are tried for each roof, and no other points.",
    .reads = {"data"},
    .plan = plan,
    .charts = charts,
    .lists_roofs = true,
};

}  // namespace engine
