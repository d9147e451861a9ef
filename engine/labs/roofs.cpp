// The lab `roofs`: every ceiling of a device, measured.
#include <array>
#include <vector>

#include "engine/labs/lab.hpp"

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> reads{"data"};

/// No cases: which shapes and working sets are tried turns out on the way.
Plan plan(const Spec& spec, const Place&, const Results&) {
  refuse_contradictions(spec);
  return {.asks = {}, .every_roof = true};
}

/// A working set of the level curve.
bool is_read(const Row& row) {
  return row.point.what.family == kernels::Family::stream &&
         row.point.what.op() == kernels::Op::read;
}

std::vector<Chart> charts(const Results&) {
  Chart levels{.id = "levels", .title = "Memory levels"};
  levels.x = metrics::working_set;
  levels.y = metrics::bandwidth;
  levels.y.title = "Read bandwidth";
  levels.along = "elements";
  levels.envelope = true;
  levels.least_points = 3;  // the reads of one size tried for a roof are no curve
  levels.shows = is_read;
  levels.overlays = {Overlay::capacities};
  levels.empty =
      "No level curve yet. Measure all roofs in the window, or run ridgepoint sweep --lab roofs.";
  return {levels};
}

}  // namespace

extern const Lab roofs_lab;
constinit const Lab roofs_lab{
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
    .reads = reads,
    .plan = plan,
    .charts = charts,
    .lists_roofs = true,
};

}  // namespace engine
