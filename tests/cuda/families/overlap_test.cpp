// Chunks on the emulated GPU.
#include "kernels/families/overlap/overlap.hpp"

#include <doctest/doctest.h>

#include <string>

#include "kernels/cuda/bodies/arguments.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;

TEST_CASE("every number of chunks is copied in, computed on and copied out") {
  Emulated emulated;
  for (const std::uint64_t chunks : {1, 2, 5, 16})
    check_case(emulated.gpu(), overlap_case(chunks, 20 * overlap_granule, 7));
}

TEST_CASE("the stages of a sequence take what the link and the launch take") {
  Emulated emulated;
  fake_cuda::state().link_rate = 10e9;
  constexpr std::uint64_t elements = 1000 * overlap_granule;
  const Sample sample = emulated.gpu().prepare(overlap_case(1, elements, 7), {})->run({});
  REQUIRE(sample.values.size() == 3);
  CHECK(sample.values[1].value == doctest::Approx(4.0 * elements / 10e9).epsilon(0.01));
  CHECK(sample.values[0].value == doctest::Approx(60e-6).epsilon(0.01));
  CHECK(sample.values[2].value == doctest::Approx(4.0 * elements / 10e9).epsilon(0.01));
  CHECK(sample.spans.back().end <= sample.seconds * 1.01);
}

TEST_CASE("a chunk that is computed on with too few ops is found") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(overlap_case(4, 20 * overlap_granule, 7), {});
  CHECK(trial->verify({}).ok);
  fake_cuda::state().before_chain = [](void* args) {
    static_cast<cuda::ChainArguments*>(args)->repeat -= 1;
  };
  const Check check = trial->verify({});
  fake_cuda::state().before_chain = {};
  CHECK_FALSE(check.ok);
  CHECK(contains(check.why, "expected"));
}
