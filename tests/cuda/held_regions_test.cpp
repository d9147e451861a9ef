// How figures beside the cases are timed, on an emulated GPU.
#include "tests/cuda/held_regions.hpp"

#include <string_view>

#include "tests/cuda/fakes/emulated.hpp"

using namespace kernels;

TEST_CASE(
    "copies by CUDA are timed on a held stream, over at least 1 ms, and none uses the legacy "
    "stream") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  cuda::Gpu gpu(0);
  constexpr double one = 125e-6;
  const cuda::Buffer from = gpu.pool().take(1 << 20), to = gpu.pool().take(1 << 20);
  state.copy_rate = 2 * static_cast<double>(from.bytes()) / one;
  int copies = 0;
  const auto copy = [&] {
    ++copies;
    cuda::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice,
                                gpu.stream()),
                "copying");
  };
  const std::uint64_t holds = state.holds;
  constexpr int samples = 5, warm = 3;
  const std::vector<double> seconds = tests::held_regions(gpu, samples, 1e-3, copy);
  REQUIRE(seconds.size() == samples);
  for (const double each : seconds) CHECK(each == doctest::Approx(one));
  CHECK((copies - warm) / samples >= 8);
  CHECK(state.holds - holds >= samples);
  CHECK(state.legacy_calls == 0);

  // What cannot be held would count the host's time.
  state.expiring_holds = 1000;
  CHECK_THROWS_AS(tests::held_regions(gpu, samples, 1e-3, copy), Unsupported);
  state.expiring_holds = 0;
}

TEST_CASE("what events cost is timed with one run between them") {
  Emulated emulated;
  cuda::Gpu gpu(0);
  int runs = 0;
  tests::held_regions(gpu, 4, 0, [&] { ++runs; });
  CHECK(runs == 3 + 4);
}
