#include "engine/measure/counted_run.hpp"

#include "engine/roofs/roofs.hpp"
#include "engine/watch/rates.hpp"
#include "kernels/counted.hpp"

namespace engine {
namespace {

/// Null where the device counts nothing, or nothing that this user may read.
std::unique_ptr<kernels::ActivityReader> counters_of(kernels::Device& device) {
  try {
    auto reader = device.activity(kernels::Counters::at_once);
    return reader->why_not().empty() ? std::move(reader) : nullptr;
  } catch (const kernels::Unsupported&) {
    return nullptr;
  }
}

/// Since it was made; nothing where that is refused.
std::optional<kernels::Activity> counted_by(kernels::ActivityReader& reader) {
  try {
    return reader.read();
  } catch (const kernels::Unsupported&) {
    return std::nullopt;
  }
}

}  // namespace

bool has_counters(kernels::Device& device) { return counters_of(device) != nullptr; }

CountedRun run_counted(kernels::Device& device, kernels::Trial& trial, double seconds,
                       const std::stop_token& stop) {
  auto reader = counters_of(device);
  if (reader) static_cast<void>(trial.run_for(counters_lag, stop));
  reader = counters_of(device);
  CountedRun run{trial.run_for(seconds, stop), {}};
  if (reader) run.counted = counted_by(*reader);
  return run;
}

std::optional<double> counted_bandwidth(const kernels::DeviceInfo& device,
                                        const kernels::Activity& activity) {
  // Else the time between runs, or multiprocessors without work, would count as a lower bandwidth.
  constexpr double least_busy = 0.97;
  if (share_of(activity, kernels::counted::busy) < least_busy) return std::nullopt;
  const double share = share_of(activity, kernels::counted::dram);
  const double bandwidth = counted_rates(datasheet_roofs(device), kernels::Dtype::bf16).bandwidth;
  constexpr double least_share = 0.1;
  return share >= least_share && bandwidth > 0 ? std::optional(share * bandwidth) : std::nullopt;
}

}  // namespace engine
