// A GPU that hangs, runs out of memory or errs, on an emulated machine.
#include <doctest/doctest.h>

#include <string>

#include "tests/cuda/fakes/emulated.hpp"

using namespace kernels;

TEST_CASE("a GPU that never responds is no longer used, and others go on") {
  Emulated emulated(2);
  fake_cuda::State& state = fake_cuda::state();
  {
    const auto hangs = emulated.gpu(0).prepare({.elements = 1000}, {});
    state.hung_device = 0;
    const double before = fake_cuda::now();
    CHECK_THROWS_WITH_AS(
        hangs->run({}),
        "the GPU has not responded for 30 s and is no longer used; restart the program "
        "to measure it, and "
        "look for Xid messages in the kernel log",
        DeviceLost);
    CHECK(fake_cuda::now() - before == doctest::Approx(30).epsilon(0.01));
    // From now on nothing waits for it.
    const double lost = fake_cuda::now();
    CHECK_THROWS_AS(hangs->run({}), DeviceLost);
    CHECK_THROWS_AS(hangs->verify({}), DeviceLost);
    CHECK_THROWS_WITH_AS(emulated.gpu(0).prepare({.elements = 1000}, {}),
                         doctest::Contains("stopped responding and is no longer used"), DeviceLost);
    CHECK_THROWS_WITH_AS(emulated.gpu(0).free_bytes(),
                         doctest::Contains("stopped responding and is no longer used"), DeviceLost);
    emulated.gpu(0).conditions();
    CHECK(fake_cuda::now() == lost);
    check_case(emulated.gpu(1), {.elements = 1000});
  }
  emulated.devices.usable.erase(emulated.devices.usable.begin());
  check_case(emulated.gpu(0), {.elements = 1000});
  CHECK(state.hangs == 0);
  emulated.devices.usable.clear();
  CHECK(state.hangs == 0);
  fake_cuda::end_program();
}

TEST_CASE(
    "a GPU that never answers when it is opened says so, is not waited for again, and others "
    "open") {
  Emulated emulated(2);
  fake_cuda::state().hung_device = 1;
  CHECK_THROWS_WITH_AS(
      emulated.gpu(1).open(),
      doctest::Contains("cuda:1 cannot be used: the GPU has not responded for 30 s"), DeviceLost);
  const double lost = fake_cuda::now();
  CHECK_THROWS_WITH_AS(emulated.gpu(1).prepare({.elements = 1000}, {}),
                       doctest::Contains("the GPU has not responded for 30 s"), DeviceLost);
  CHECK(fake_cuda::now() == lost);
  check_case(emulated.gpu(0), {.elements = 1000});
  CHECK(fake_cuda::state().hangs == 0);
  emulated.devices.usable.clear();
  fake_cuda::end_program();
}

TEST_CASE("GPUs are listed without being started, and only the one that is used is started") {
  Emulated emulated(4);
  CHECK(fake_cuda::state().started.empty());
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(emulated.gpu(i).info().multiprocessors == 2);
    CHECK(emulated.gpu(i).info().instruction_sets == std::vector<std::string>{"sm_90"});
    CHECK_FALSE(emulated.gpu(i).kernels().empty());
    CHECK_FALSE(emulated.gpu(i).shape_axes({.family = Family::peak}).empty());
    CHECK(emulated.gpu(i).free_bytes() == fake_cuda::state().memory_bytes);
    emulated.gpu(i).watch();
    emulated.gpu(i).conditions();
  }
  CHECK(fake_cuda::state().started.empty());
  check_case(emulated.gpu(2), {.elements = 1000});
  CHECK(fake_cuda::state().started == std::set<int>{2});
}

TEST_CASE("memory that runs out in the middle fails that case with sizes, and the next one works") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  const auto trial = emulated.gpu().prepare({.elements = 100'000}, {});
  const double enough = state.memory_bytes;
  state.memory_bytes = 0;
  CHECK_THROWS_WITH_AS(trial->verify({}), doctest::Contains("free; choose smaller sizes"),
                       Unsupported);
  CHECK_THROWS_WITH_AS(emulated.gpu().prepare({.elements = 200'000}, {}),
                       doctest::Contains("free; choose smaller sizes"), Unsupported);
  state.memory_bytes = enough;
  CHECK(trial->verify({}).ok);
  check_case(emulated.gpu(), {.elements = 200'000});
}

TEST_CASE("a launch or a graph that gets no memory fails its case alone, with a remedy") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  state.launch_seconds = 1e-6;
  const auto trial = emulated.gpu().prepare({.elements = 1000}, {});
  CHECK(trial->verify({}).ok);
  state.fail_instantiate = 2;  // cudaErrorMemoryAllocation
  CHECK_THROWS_WITH_AS(trial->run({}),
                       doctest::Contains("instantiating a graph failed: an emulated error "
                                         "(cudaErrorEmulated); choose smaller sizes"),
                       Unsupported);
  state.fail_instantiate = 0;
  state.fail_launch = 2;
  CHECK_THROWS_WITH_AS(trial->verify({}), doctest::Contains("choose smaller sizes"), Unsupported);
  state.fail_launch = 0;
  CHECK(trial->verify({}).ok);
  CHECK(trial->run({}).seconds > 0);
}
