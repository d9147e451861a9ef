// One kernel timed in every way of a GPU, on the emulated one.
#include "kernels/families/timing/timing.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include "kernels/cuda/bodies/arguments.hpp"
#include "tests/cuda/fakes/emulated.hpp"

using namespace kernels;

namespace {

constexpr Way ways_of_gpu[] = {Way::proper,     Way::unfinished, Way::with_launch, Way::new_memory,
                               Way::after_rest, Way::cold,       Way::zeros,       Way::sustained};

}  // namespace

TEST_CASE("a GPU's kernel is right and takes time, in whatever way it is timed") {
  Emulated emulated;
  for (const Way way : ways_of_gpu) {
    CAPTURE(words_of(way));
    check_case(emulated.gpu(), timing_case(way, 4096, 8));
  }
}

TEST_CASE("a GPU's kernel that takes an fma too few is found in every way") {
  Emulated emulated;
  for (const Way way : ways_of_gpu) {
    CAPTURE(words_of(way));
    const auto trial = emulated.gpu().prepare(timing_case(way, 4096, 8), {});
    CHECK(trial->verify({}).ok);
    fake_cuda::state().before_chain = [](void* arguments) {
      static_cast<cuda::ChainArguments*>(arguments)->repeat -= 1;
    };
    CHECK_FALSE(trial->verify({}).ok);
    fake_cuda::state().before_chain = {};
  }
}

TEST_CASE("what a stop cannot wait for ends within a rest of the GPU") {
  Emulated emulated;
  for (const Way way : ways_of_gpu) {
    CAPTURE(words_of(way));
    const auto trial = emulated.gpu().prepare(timing_case(way, 4096, 8), {});
    std::stop_source stop;
    stop.request_stop();
    const double before = fake_cuda::now();
    CHECK_THROWS_AS(static_cast<void>(trial->run(stop.get_token())), Cancelled);
    CHECK(fake_cuda::now() - before < 0.25);
  }
}

TEST_CASE("memory that is allocated within the time is given back") {
  Emulated emulated;
  emulated.gpu().open();
  const double before = emulated.gpu().free_bytes();
  {
    const auto trial = emulated.gpu().prepare(timing_case(Way::new_memory, 4096, 8), {});
    for (int i = 0; i < 3; ++i) static_cast<void>(trial->run({}));
  }
  CHECK(emulated.gpu().free_bytes() == before);
}

TEST_CASE("a kernel that is timed on a GPU that hangs ends with the device lost, and no wait") {
  for (const Way way : ways_of_gpu) {
    CAPTURE(words_of(way));
    {
      Emulated emulated;
      const auto trial = emulated.gpu().prepare(timing_case(way, 4096, 8), {});
      fake_cuda::state().hung_device = 0;
      CHECK_THROWS_AS(static_cast<void>(trial->run({})), DeviceLost);
      CHECK(fake_cuda::state().hangs == 0);
    }
    fake_cuda::end_program();
  }
}

TEST_CASE("so few elements that an L2 holds all copies have no cold caches") {
  Emulated emulated;
  CHECK_THROWS_WITH_AS(static_cast<void>(emulated.gpu().prepare(timing_case(Way::cold, 16, 8), {})),
                       "so few elements stay in the L2: choose more for cold caches", Unsupported);
}
