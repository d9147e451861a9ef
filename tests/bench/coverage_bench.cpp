// How often the published intervals hold the truth, over many repetitions: the table of
// docs/measuring.md. Fixed seeds, so that every machine prints the same.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tests/engine/coverage.hpp"

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 3000;
  fmt::print("{} repetitions each\n{:<28} {:>9} {:>10} {:>12}\n", cases, "machine", "held",
             "samples", "no interval");
  for (const coverage::Setting& setting : coverage::settings()) {
    const coverage::Counted counted = coverage::count(setting, cases);
    fmt::print("{:<28} {:>8.1f}% {:>10.0f} {:>12}\n", setting.name, 100 * counted.share(),
               counted.samples, counted.without_interval);
  }
  const int sweeps = std::max(1, cases / 3);
  fmt::print("\nknees of {} sweeps each\n{:<28} {:>9} {:>10} {:>12}\n", sweeps, "machine", "held",
             "width", "no interval");
  for (const coverage::Setting& setting : coverage::settings()) {
    const coverage::Counted counted = coverage::count_knees(setting, sweeps);
    fmt::print("{:<28} {:>8.1f}% {:>9.1f}% {:>12}\n", setting.name, 100 * counted.share(),
               100 * counted.width, counted.without_interval);
  }
}
