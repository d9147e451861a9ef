// Strided reads on the emulated GPU.
#include "kernels/families/strided/strided.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/strided/strided_arguments.hpp"
#include "tests/cuda/fakes/emulated.hpp"

using namespace kernels;

namespace {

/// The check of a case whose arguments a test spoils.
bool is_right(const Case& c, void (*spoil)(cuda::StridedArguments&)) {
  static void (*spoils)(cuda::StridedArguments&) = nullptr;
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(c, {});
  spoils = spoil;
  fake_cuda::state().before_kernel = [](const void* function, void* arguments) {
    if (function == cuda::strided_function())
      spoils(*static_cast<cuda::StridedArguments*>(arguments));
  };
  const bool ok = trial->verify({}).ok;
  fake_cuda::state().before_kernel = {};
  return ok;
}

}  // namespace

TEST_CASE("a GPU reads every stride and offset, also where the last block is not full") {
  Emulated emulated;
  for (const std::uint64_t stride : {1, 2, 7, 32, 64}) {
    for (const std::uint64_t offset : {0, 1, 63}) {
      for (const std::uint64_t groups : {1, 8, 37}) {
        const Case c = strided_case(stride, offset, groups * strided_group);
        CAPTURE(describe(c));
        const auto trial = emulated.gpu().prepare(c, {});
        const Check before = trial->verify({});
        CHECK_MESSAGE(before.ok, before.why);
        const Sample sample = trial->run({});
        CHECK(sample.seconds > 0);
        REQUIRE(sample.values.size() == 2);
        CHECK(sample.values[1].value == 32);
        CHECK(sample.values[0].value == moved_bytes(c, 32));
        CHECK(trial->verify({}).ok);
      }
    }
  }
}

TEST_CASE("a GPU that reads at a wrong stride, at a wrong place, or too few groups is found") {
  for (const std::uint64_t stride : {2, 32}) {
    const Case c = strided_case(stride, 1, 37 * strided_group);
    CHECK(is_right(c, [](cuda::StridedArguments&) {}));
    CHECK_FALSE(is_right(c, [](cuda::StridedArguments& args) { args.stride -= 1; }));
    CHECK_FALSE(is_right(c, [](cuda::StridedArguments& args) { args.words -= 1; }));
    CHECK_FALSE(is_right(c, [](cuda::StridedArguments& args) { args.groups -= 1; }));
  }
}

TEST_CASE("several passes on a GPU are several launches") {
  Emulated emulated;
  Case c = strided_case(2, 0, 9 * strided_group);
  c.repeat = 3;
  CHECK(emulated.gpu().prepare(c, {})->verify({}).ok);
}
