#include "engine/experiments/roofs.hpp"

#include <utility>
#include <vector>

#include "engine/sweep_run.hpp"

namespace engine {
namespace {

/// None: which shapes and working sets are tried turns out on the way.
std::vector<kernels::Case> cases_of_roofs(const Spec&, const kernels::DeviceInfo&, double) {
  return {};
}

void run_roofs(SweepRun& run, const Spec& spec, const std::vector<kernels::Case>&,
               const SweepNeeds& needs) {
  // Asked for by name, they are measured again whatever is known.
  std::vector<Roof> before = std::exchange(needs.measured, {});
  before.insert(before.end(), needs.known.begin(), needs.known.end());
  run.find_all_roofs(spec.data, before, needs.measured, needs.between);
}

}  // namespace

Experiment roofs_experiment() {
  return {
      "roofs",
      "Every ceiling of the device: memory, each cache, launches and peak FLOP/s of every dtype.",
      cases_of_roofs, run_roofs};
}

}  // namespace engine
