// Runs the whole experiment `roofs` again and again and prints how well its figures repeat: the
// spread (max - min) / median of each roof, and how often the interval that a run states holds the
// median of all runs. Only the first run searches shapes, as for somebody who measures on several
// days.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "engine/measure/statistics.hpp"
#include "engine/worker/sweep_run.hpp"
#include "kernels/backends.hpp"
#include "kernels/units.hpp"

namespace {

using engine::Roof;

constexpr double good_spread = 0.05;

/// What each run measured of one roof.
using Runs = std::map<std::string, std::vector<Roof>>;

void run_once(kernels::Device& device, engine::RoofCache& cache, Runs& runs) {
  engine::Spec spec;
  spec.lab = "roofs";
  // As in a session, what is measured again takes the place of what it was before.
  std::vector<Roof> newest;
  const double begin = engine::steady_seconds();
  const auto say = [](const engine::Event& event) {
    const auto* warning = std::get_if<engine::Warning>(&event);
    if (warning != nullptr) fmt::print(stderr, "  {}\n", warning->text);
  };
  engine::SweepRun sweep(
      1, device, spec, {.cache = cache, .timing = {}, .stop = {}, .send = say, .measured = newest});
  sweep.run(engine::lab_of(spec), engine::place_of(device));
  for (const Roof& roof : newest) runs[roof.name].push_back(roof);
  fmt::print(stderr, "one run: {}\n", units::seconds(engine::steady_seconds() - begin));
}

std::string rate_of(const Roof& roof, double rate) {
  switch (roof.kind) {
    case engine::RoofKind::bandwidth:
      return units::bytes_per_second(rate);
    case engine::RoofKind::compute:
      return units::flops_per_second(rate, roof.dtype && kernels::info_of(*roof.dtype).integer);
    case engine::RoofKind::overhead:
      break;
  }
  return units::seconds(1 / rate) + " each";
}

struct Totals {
  std::size_t roofs = 0, repeating = 0;
  std::size_t intervals = 0, holding = 0;
};

void report(const std::string& name, const std::vector<Roof>& runs, Totals& totals) {
  std::vector<double> rates;
  for (const Roof& roof : runs) rates.push_back(roof.rate);
  const double median = engine::median_of(rates);
  const auto [low, high] = std::ranges::minmax(rates);
  const double spread = (high - low) / median;
  const auto holding = std::ranges::count_if(
      runs, [&](const Roof& roof) { return roof.rate_low <= median && median <= roof.rate_high; });
  ++totals.roofs;
  totals.repeating += spread < good_spread;
  totals.intervals += runs.size();
  totals.holding += static_cast<std::size_t>(holding);
  fmt::print("{:<16} {:>16} {:>8.2f} % {:>6} of {}\n", name, rate_of(runs.front(), median),
             100 * spread, holding, runs.size());
}

kernels::Device& device_named(kernels::Devices& devices, const std::string& id) {
  for (const auto& device : devices.usable) {
    if (device->info().id == id) return *device;
  }
  throw std::runtime_error(fmt::format("no device {} here; `ridgepoint devices` lists them", id));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string id = count > 1 ? arguments[1] : "cpu";
  const int asked = count > 2 ? std::atoi(arguments[2]) : 10;
  if (asked < 2) {
    fmt::print(stderr, "repeatability: usage: repeatability [cpu|cuda:N] [RUNS], RUNS from 2 on\n");
    return 2;
  }
  try {
    kernels::Devices devices = kernels::open_devices();
    kernels::Device& device = device_named(devices, id);
    engine::RoofCache cache({}, device.info());
    Runs runs;
    for (int i = 0; i < asked; ++i) run_once(device, cache, runs);
    fmt::print("{}, {} runs\n{:<16} {:>16} {:>10} {:>10}\n", device.info().name, asked, "roof",
               "median", "spread", "interval holds the median of the runs");
    Totals totals;
    for (const auto& [name, roofs] : runs) report(name, roofs, totals);
    fmt::print(
        "{} of {} roofs ({}) spread less than 5 %; {} of {} intervals ({}) hold the median\n",
        totals.repeating, totals.roofs,
        units::percent(static_cast<double>(totals.repeating) / static_cast<double>(totals.roofs)),
        totals.holding, totals.intervals,
        units::percent(static_cast<double>(totals.holding) /
                       static_cast<double>(totals.intervals)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "repeatability: {}\n", error.what());
    return 1;
  }
}
