// The lab `intensity`: points along the axis of ops per element.

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Op;
using kernels::Units;

std::vector<Fusion> fusions_of(FusionChoice choice) {
  if (choice == FusionChoice::both) return {Fusion::fused, Fusion::unfused};
  return {choice == FusionChoice::fused ? Fusion::fused : Fusion::unfused};
}

std::vector<Units> units_of(UnitsChoice choice) {
  if (choice == UnitsChoice::both) return {Units::vector, Units::matrix};
  return {choice == UnitsChoice::vector ? Units::vector : Units::matrix};
}

std::vector<std::uint64_t> sorted_repeats(const Spec& spec) {
  std::vector<std::uint64_t> repeats = spec.repeats;
  std::sort(repeats.begin(), repeats.end());
  repeats.erase(std::unique(repeats.begin(), repeats.end()), repeats.end());
  return repeats;
}

/// Fused first, then by dtype and units; each series by ascending repeat.
std::vector<Case> cases_of(const Spec& spec, const Place& place) {
  const Family family = spec.family();
  const Op op = spec.op_of(family);
  const std::vector<std::uint64_t> repeats = sorted_repeats(spec);
  std::vector<Case> cases;
  for (const Fusion fusion : fusions_of(spec.fusion)) {
    for (const Dtype dtype : spec.dtypes) {
      const std::uint64_t elements = elements_of(spec, family, dtype, place.info, place.free_bytes);
      for (const Units units : units_of(spec.units)) {
        for (const std::uint64_t repeat : repeats) {
          cases.push_back({family, op, dtype, fusion, units, elements, repeat, spec.data});
        }
      }
    }
  }
  return cases;
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  refuse_contradictions(spec);
  Plan plan;
  for (const Case& what : cases_of(spec, place)) plan.asks.push_back({what});
  return plan;
}

/// One element type has one colour; its lines are told apart by their markers.
Chart over_repeats(std::string_view id, std::string_view title, const Metric& y,
                   std::vector<Overlay> overlays) {
  Chart chart{.id = id, .title = title};
  chart.x = metrics::axis("repeat");
  chart.y = y;
  chart.series = labels::series;
  chart.colour = labels::dtype;
  chart.along = "repeat";
  chart.overlays = std::move(overlays);
  chart.empty = "No measured points yet. Press Space in the window, or run ridgepoint sweep.";
  return chart;
}

std::vector<Chart> charts(const Results&) {
  using enum Overlay;
  Chart roofline = over_repeats("roofline", "Roofline", metrics::flops,
                                {roofs, ridge, regions, best, trail, cursor, what_if});
  roofline.x = metrics::intensity;
  Chart speedup = over_repeats("speedup", "Speed-up", metrics::factor, {even, best, trail, cursor});
  speedup.versus = {{labels::fusion, "unfused", "fused"}, {labels::units, "vector", "matrix"}, {}};
  speedup.apart = true;
  speedup.empty =
      "Nothing to compare yet. Measure fused and unfused, matrix and vector units, or open another "
      "session with the same cases.";
  return {roofline,
          over_repeats("runtime", "Runtime", metrics::runtime,
                       {launch_floor, attainable, what_if, knee, trail, cursor}),
          over_repeats("flops", "Achieved compute throughput", metrics::flops,
                       {roofs, attainable, what_if, best, trail, cursor}),
          over_repeats("bandwidth", "Achieved bandwidth", metrics::bandwidth,
                       {roofs, attainable, what_if, best, trail, cursor}),
          speedup};
}

constexpr std::array<std::string_view, 8> reads{"kernel", "op",     "dtype", "fusion",
                                                "units",  "repeat", "data",  "elements"};

}  // namespace

extern const Lab intensity_lab;
constinit const Lab intensity_lab{
    .name = "intensity",
    .title = "Intensity",
    .group = "Roofline",
    .question = "How much arithmetic is free?",
    .about =
        "Runtime, FLOP/s and bandwidth as the ops per element grow, across the knee of the "
        "roofline. A chain of ops reads each element once and writes it once, however many ops it "
        "applies. "
        "While memory is the limit, more ops cost nothing. Past the ridge point the runtime "
        "grows with every op. Unfused, each op is a trip to memory and back.",
    .reads = reads,
    .plan = plan,
    .charts = charts,
    .slider = "repeat",
};

}  // namespace engine
