// Reads of shared memory with conflicts of its banks, on the emulated GPU.
#include "kernels/families/banks/banks.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <set>

#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/banks/banks_arguments.hpp"
#include "kernels/families/family.hpp"
#include "tests/cuda/fakes/emulated.hpp"

using namespace kernels;

namespace {

/// The check of a case whose arguments a test spoils.
bool is_right(const Case& c, void (*spoil)(cuda::BanksArguments&)) {
  static void (*spoils)(cuda::BanksArguments&) = nullptr;
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(c, {});
  spoils = spoil;
  fake_cuda::state().before_kernel = [](const void* function, void* arguments) {
    if (function == cuda::banks_function()) spoils(*static_cast<cuda::BanksArguments*>(arguments));
  };
  const bool ok = trial->verify({}).ok;
  fake_cuda::state().before_kernel = {};
  return ok;
}

}  // namespace

TEST_CASE("a GPU reads shared memory at every stride, also where the last block is not full") {
  Emulated emulated;
  for (const std::uint64_t stride : {1, 2, 7, 32, 33, 64}) {
    for (const std::uint64_t groups : {1, 8, 70}) {
      Case c = banks_case(stride, groups * bank_group);
      c.repeat = groups == 8 ? 3 : 1;
      CAPTURE(describe(c));
      const auto trial = emulated.gpu().prepare(c, {});
      const Check before = trial->verify({});
      CHECK_MESSAGE(before.ok, before.why);
      CHECK(trial->run({}).seconds > 0);
      CHECK(trial->verify({}).ok);
      CHECK(trial->work().bytes == static_cast<double>(c.repeat * c.elements * 4));
    }
  }
}

TEST_CASE("a GPU that reads shared memory at a wrong place, or too few groups, is found") {
  for (const std::uint64_t stride : {2, 33}) {
    const Case c = banks_case(stride, 37 * bank_group);
    CHECK(is_right(c, [](cuda::BanksArguments&) {}));
    CHECK_FALSE(is_right(c, [](cuda::BanksArguments& args) { args.stride -= 1; }));
    CHECK_FALSE(is_right(c, [](cuda::BanksArguments& args) { args.words += 1; }));
    CHECK_FALSE(is_right(c, [](cuda::BanksArguments& args) { args.groups -= 1; }));
    CHECK_FALSE(is_right(c, [](cuda::BanksArguments& args) { args.first_group += 1; }));
  }
}

TEST_CASE("ways of conflict are the most words of a warp that lie in one bank") {
  for (std::uint64_t stride = 1; stride <= most_bank_stride; ++stride) {
    std::multiset<std::uint64_t> used;
    for (std::uint64_t thread = 0; thread < 32; ++thread)
      used.insert(thread * stride % shared_banks);
    std::size_t most = 0;
    for (const std::uint64_t bank : used) most = std::max(most, used.count(bank));
    CAPTURE(stride);
    CHECK(conflict_ways(banks_case(stride, bank_group)) == most);
  }
}

TEST_CASE("banks are read in whole groups of fp32, at strides that the table holds") {
  CHECK(refusal_of(banks_case(32, bank_group)) == "");
  CHECK(refusal_of(banks_case(1, bank_group + 32)) == "elements come in multiples of 32768");
  CHECK(refusal_of(banks_case(65, bank_group)) == "stride is at most 64 words");
  Case c = banks_case(1, bank_group);
  c.dtype = Dtype::int32;
  CHECK(refusal_of(c) == "banks are read in words of fp32: choose fp32");
}
