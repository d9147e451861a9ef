// What decides how the DRAM roof of a real GPU is measured: copies of 0.5, 2 and 8 GiB, and what
// two events with an empty kernel between them take. Prints figures; scripts keep them.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/device.hpp"
#include "tests/cuda/gpu/gpu_under_test.hpp"

using namespace kernels;

namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

double median_run(Trial& trial) {
  std::vector<double> runs;
  for (int i = 0; i < 21; ++i) runs.push_back(trial.run({}).seconds);
  std::ranges::nth_element(runs, runs.begin() + 10);
  return runs[10];
}

}  // namespace

TEST_CASE("DRAM copies of 0.5, 2 and 8 GiB and the event floor") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const double size : {0.5 * gib, 2 * gib, 8 * gib}) {
    if (2 * size > gpu->free_bytes()) {
      MESSAGE("not run: a copy of " << size / gib << " GiB, for want of memory");
      continue;
    }
    const auto elements = static_cast<std::uint64_t>(size / 2 / sizeof(float));
    const auto trial =
        gpu->prepare({.family = Family::stream, .ops = Op::copy, .elements = elements}, {});
    const Check check = trial->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    const double seconds = median_run(*trial);
    const auto values = trial->run({}).values;
    REQUIRE(values.size() == 1);
    const double floor = values.front().value;
    CHECK(floor > 0);
    MESSAGE("DRAM copy of " << size / gib << " GiB: " << seconds * 1e6 << " us, "
                            << size / seconds * 1e-9 << " GB/s; event floor " << floor * 1e6
                            << " us; a region of one run would read at most "
                            << floor / seconds * 100 << " % less");
  }
}
