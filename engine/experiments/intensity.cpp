#include "engine/experiments/intensity.hpp"

#include <algorithm>

#include "engine/session_file.hpp"
#include "engine/sweep_run.hpp"

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

std::vector<std::uint64_t> checked_repeats(const Spec& spec) {
  std::vector<std::uint64_t> repeats = spec.repeats;
  std::sort(repeats.begin(), repeats.end());
  repeats.erase(std::unique(repeats.begin(), repeats.end()), repeats.end());
  if (repeats.front() < 1 || repeats.back() > kernels::max_repeat) {
    throw BadInput("--repeat: expected whole numbers from 1 to 4096");
  }
  return repeats;
}

/// Fused first, then by dtype and units; each series by ascending repeat.
std::vector<Case> cases_of_intensity(const Spec& spec, const kernels::DeviceInfo& info,
                                     double free_bytes) {
  const Family family = spec.family();
  const Op op = family == Family::tile ? Op::mma : spec.op;
  const std::vector<std::uint64_t> repeats = checked_repeats(spec);
  std::vector<Case> cases;
  for (const Fusion fusion : fusions_of(spec.fusion)) {
    for (const Dtype dtype : spec.dtypes) {
      const std::uint64_t elements = elements_of(spec, dtype, info, free_bytes);
      for (const Units units : units_of(spec.units)) {
        for (const std::uint64_t repeat : repeats) {
          cases.push_back({family, op, dtype, fusion, units, elements, repeat, spec.data});
        }
      }
    }
  }
  return cases;
}

void run_intensity(SweepRun& run, const Spec&, const std::vector<Case>& cases,
                   const SweepNeeds& needs) {
  run.report_progress(cases, "measuring the roofs");
  run.find_roofs(cases, needs.known, needs.measured);
  run.run_cases(cases, needs);
}

}  // namespace

Experiment intensity_experiment() {
  return {"intensity",
          "Runtime, FLOP/s and bandwidth as the ops per element grow, across the knee of the "
          "roofline.",
          cases_of_intensity, run_intensity};
}

}  // namespace engine
