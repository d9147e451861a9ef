#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/session/session_file.hpp"
#include "engine/watch/windows.hpp"
#include "engine/worker/sweep_run.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// What the roofs of a run are: stated, measured by the worker, known. The first of a kind counts.
std::vector<Roof> roofs_of(const kernels::DeviceInfo& device, const SweepNeeds& needs) {
  std::vector<Roof> roofs = datasheet_roofs(device);
  const auto add = [&](const std::vector<Roof>& more) {
    for (const Roof& roof : more)
      if (roof_named(roofs, roof.name, roof.source) == nullptr) roofs.push_back(roof);
  };
  add(needs.measured);
  add(needs.known);
  return roofs;
}

void warn_of_upper_bounds(const CountedRates& rates, const std::function<void(std::string)>& warn) {
  for (const Pipe& pipe : rates.pipes) {
    if (pipe.units != kernels::Units::matrix || pipe.dtype == kernels::Dtype::fp64) continue;
    if (pipe.flops_per_clock == 0 || pipe.calibrated) continue;
    warn(fmt::format(
        "FLOP/s of matrix units are an upper bound: they are busy for 10 to 60 % longer "
        "than their FLOP take; measure all roofs once (--lab roofs -o FILE), which "
        "compares their count of {} with known work, and give them with --roofs FILE",
        name_of(pipe.dtype)));
    return;
  }
}

/// At the clock in each window, and at least once a second.
constexpr int looks = 4;
constexpr double most_rest = 1;  // s

}  // namespace

void watch_device(std::uint64_t number, kernels::Device& device, const Spec& spec,
                  SweepNeeds needs) {
  const std::string& id = device.info().id;
  const auto reader = device.activity(kernels::Counters::any);
  const auto warn = [&](std::string text) { needs.send(Warning{number, std::move(text)}); };
  Run asked{number, spec, utc_now()};
  asked.spec.device = id;
  needs.send(SweepStarted{number, id, 0, asked});
  const std::vector<Roof> roofs = roofs_of(device.info(), needs);
  for (const Roof& roof : roofs) needs.send(RoofMeasured{number, id, roof});
  const CountedRates rates = counted_rates(
      roofs, kernels::dtype_named(text_of(spec, tensor_type)).value_or(kernels::Dtype::bf16));
  if (const std::string why = reader->why_not(); !why.empty())
    warn(why);
  else
    warn_of_upper_bounds(rates, warn);
  if (rates.bandwidth == 0 && rates.copy == 0)
    warn(
        "no roof of this device's memory is known, so nothing can be said of limits; measure all "
        "roofs once (--lab roofs -o FILE), and give them with --roofs FILE");

  // A little longer than the shortest, so that no window comes too early for the device.
  const double asked_every = units::parse_seconds(text_of(spec, window_length)).value_or(0);
  const double every = std::max(asked_every, 1.05 * reader->least_window());
  if (spec.time > 0 && spec.time < every) {
    throw BadInput(
        fmt::format("--time {} is shorter than a window of {}: expected more time, or a "
                    "shorter --every",
                    units::seconds(spec.time), units::seconds(every)));
  }
  const double begin = needs.timing.now();
  const double end = spec.time > 0 ? begin + spec.time : std::numeric_limits<double>::infinity();
  double since_begin = 0;
  for (double next = begin + every; next <= end; next += every) {
    needs.between();
    // Windows that were missed, as after a sleep of the machine, are one long one.
    next = std::max(next, needs.timing.now());
    while (needs.timing.now() < next && !needs.stop.stop_requested()) {
      needs.timing.rest(std::min({every / looks, most_rest, next - needs.timing.now()}),
                        needs.stop);
      if (needs.timing.now() < next) reader->look();
    }
    if (needs.stop.stop_requested()) throw kernels::Cancelled();
    const std::optional<kernels::Activity> activity = reader->read();
    if (!activity) continue;
    Point point = window_point(rates, *activity, since_begin);
    since_begin += activity->seconds;
    point.run = number;
    point.id = fmt::format("{}/{}/{:.3f}", watch_lab, number, since_begin);
    needs.send(PointMeasured{number, id, std::move(point)});
  }
}

}  // namespace engine
