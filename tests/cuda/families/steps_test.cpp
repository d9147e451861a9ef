// Steps on the emulated GPU, started in each of its ways.
#include "kernels/families/steps/steps.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <string>

#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/steps/steps_arguments.hpp"
#include "kernels/families/steps/steps_body.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;

namespace {

constexpr Start ways[] = {Start::stream, Start::wait, Start::graph, Start::dependent,
                          Start::persistent};

std::string why_not(Emulated& emulated, const Case& c) {
  try {
    static_cast<void>(emulated.gpu().prepare(c, {}));
    return "";
  } catch (const Unsupported& reason) {
    return reason.what();
  }
}

}  // namespace

TEST_CASE("each way of a GPU takes all steps, one after the other") {
  Emulated emulated;
  for (const Start start : ways) {
    for (const std::uint64_t steps : {1, 2, 33}) {
      for (const std::uint64_t elements : {1, 33, 64}) {
        const Case c = steps_case(start, elements, steps);
        CAPTURE(describe(c));
        const auto trial = emulated.gpu().prepare(c, {});
        const Check before = trial->verify({});
        CHECK_MESSAGE(before.ok, before.why);
        CHECK(trial->run({}).seconds > 0);
        CHECK(trial->run_for(1e-3, {}).seconds > 0);
        CHECK(trial->verify({}).ok);
      }
    }
  }
}

TEST_CASE("a step that is missing, or reads the wrong element, is found in every way") {
  Emulated emulated;
  for (const Start start : ways) {
    CAPTURE(words_of(start));
    const auto trial = emulated.gpu().prepare(steps_case(start, 64, 33), {});
    CHECK(trial->verify({}).ok);
    fake_cuda::state().before_kernel = [](const void* function, void* arguments) {
      const auto kernels = cuda::step_kernels();
      if (function != kernels.plain && function != kernels.dependent &&
          function != kernels.persistent)
        return;
      auto* const args = static_cast<cuda::StepArguments*>(arguments);
      if (function == kernels.persistent) args->steps -= 1;
      args->in += 1;
    };
    CHECK_FALSE(trial->verify({}).ok);
    fake_cuda::state().before_kernel = {};
  }
}

TEST_CASE("a run says how it was launched, and how long the host queued") {
  Emulated emulated;
  const auto sample = [&](Start start) {
    return emulated.gpu().prepare(steps_case(start, 64, 256), {})->run({});
  };
  CHECK(sample(Start::stream).launched == Launched::stream);
  CHECK(sample(Start::graph).launched == Launched::graph);
  REQUIRE(sample(Start::stream).values.size() == 1);
  CHECK(sample(Start::stream).values.front().name == "time to queue");
  CHECK(sample(Start::wait).values.empty());
}

TEST_CASE("what a GPU cannot do is refused with the reason") {
  Emulated emulated;
  CHECK(why_not(emulated, steps_case(Start::call, 64, 2)) == "call starts steps on a CPU");
  CHECK(contains(why_not(emulated, steps_case(Start::persistent, 1 << 20, 2)),
                 "steps in one kernel have 64 elements at most here"));
  CHECK(why_not(emulated, steps_case(Start::stream, 1 << 20, 2)) == "");
  fake_cuda::state().fail_instantiate = cudaErrorNotSupported;
  CHECK(contains(why_not(emulated, steps_case(Start::graph, 64, 2)), "instantiating a graph"));
  CHECK(why_not(emulated, steps_case(Start::stream, 64, 2)) == "");
  fake_cuda::state().fail_instantiate = 0;
}

TEST_CASE("dependent launches are refused before compute capability 9.0") {
  Emulated emulated(fake_cuda::State{.capability = 80});
  CHECK(why_not(emulated, steps_case(Start::dependent, 64, 2)) ==
        "dependent launches need compute capability 9.0; this GPU has 8.0");
  CHECK(emulated.gpu().prepare(steps_case(Start::persistent, 64, 2), {})->verify({}).ok);
}

TEST_CASE("steps of a GPU that hangs end with the device lost") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(steps_case(Start::wait, 64, 8), {});
  fake_cuda::state().hung_device = 0;
  CHECK_THROWS_AS(static_cast<void>(trial->run({})), DeviceLost);
}
