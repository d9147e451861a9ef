// Sweeps of 512 elements on an emulated GPU that launches as an H200 does: the kernel of a chain
// takes 0.87 us at its smallest size, replayed as a graph, and an empty one 4.05 us in a
// stream.
#include "engine/verdict/overhead.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "engine/verdict/predict.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "tests/cuda/emulated_run.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;

namespace {

constexpr double in_stream = 4.05e-6, in_graph = 0.87e-6;  // s

/// Of the file small-512 of an H200: 0.90, 1.18 and 1.92 us with 1, 8 and 64 ops.
double chain_seconds(std::uint64_t elements, std::uint32_t repeat) {
  if (elements < 512) return in_graph;
  return repeat == 1 ? 0.901e-6 : repeat == 8 ? 1.175e-6 : 1.922e-6;
}

std::optional<double> seconds_of_chain(const void* function, const void* arguments, std::uint64_t) {
  if (function == cuda::service_kernels().empty) return in_stream;
  for (const cuda::ChainKernel& kernel : cuda::fp32_kernels()) {
    if (std::ranges::find(kernel.functions, function) == kernel.functions.end()) continue;
    cuda::ChainArguments args;
    std::memcpy(&args, arguments, sizeof(args));
    return chain_seconds(args.elements, args.repeat);
  }
  return std::nullopt;
}

/// Chains of 512 elements, and what was said of them.
engine::Session swept() {
  fake_cuda::State& state = fake_cuda::state();
  state = {};
  state.memory_bytes = 8 << 20;
  state.timed_runs_compute = false;
  state.repeats_once = true;
  state.seconds_of = seconds_of_chain;
  tests::Run run;
  REQUIRE(run.has_device());
  engine::Spec spec;
  spec.fusion = engine::FusionChoice::both;
  spec.repeats = {1, 8, 64};
  spec.elements = 512;
  run.sweep(spec);
  fake_cuda::state().seconds_of = {};
  CHECK(run.complaint() == "");
  return run.session();
}

}  // namespace

TEST_CASE("512 elements on a GPU are overhead-bound, by their kernel's overhead in a graph") {
  const engine::Session session = swept();
  REQUIRE(session.points.size() == 6);
  const engine::Roof* roof =
      engine::overhead_roof(session, session.points.front().what, Launched::graph);
  REQUIRE(roof != nullptr);
  CHECK(roof->name == "overhead chain fp32 graph");
  CHECK(1 / roof->rate == doctest::Approx(in_graph).epsilon(0.02));
  for (const engine::Point& point : session.points) {
    CAPTURE(point.id);
    CHECK(point.launched == Launched::graph);
    REQUIRE(point.share);
    CHECK(point.share->roof == roof->name);
    const engine::Verdict verdict = engine::judge(session, point);
    CHECK(verdict.regime == engine::Regime::overhead);
    CHECK(verdict.share_of_overhead ==
          doctest::Approx(point.work.launches * in_graph / point.seconds.median).epsilon(0.02));
    CHECK(contains(verdict.overhead,
                   "launched in a CUDA graph; in a stream a launch costs 4.05 µs."));
    for (const std::string& advice : verdict.advice) CHECK_FALSE(contains(advice, "Capture"));
  }
}

TEST_CASE("a trial tells how it was launched") {
  Emulated emulated;
  fake_cuda::state().launch_seconds = 3e-6;
  const auto launched = [&](const Case& what) {
    const auto trial = emulated.gpu().prepare(what, {});
    return trial->run({}).launched;
  };
  const Case chain{.elements = 512};
  CHECK(launched(chain) == Launched::graph);
  Case launches{.family = Family::launch, .ops = Op::none, .repeat = 4};
  CHECK(launched(launches) == Launched::stream);
  launches.shape = {{"launch", "graph"}};
  CHECK(launched(launches) == Launched::graph);
  fake_cuda::state().launch_seconds = 60e-6;
  CHECK(launched(chain) == Launched::stream);
}
