// Packed weights times a batch on the emulated GPU.
#include "kernels/families/decode/decode.hpp"

#include <doctest/doctest.h>

#include <string>

#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/decode/decode_arguments.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;

namespace {

constexpr std::uint64_t granule = 32768;

/// Calls change(arguments) before each launch of a kernel of packed weights.
template <class Change>
void before_decode(Change change) {
  fake_cuda::state().before_kernel = [change](const void* function, void* arguments) {
    for (const cuda::DecodeKernel& kernel : cuda::decode_kernels())
      if (kernel.function == function) change(*static_cast<cuda::DecodeArguments*>(arguments));
  };
}

}  // namespace

TEST_CASE("packed weights of every width are multiplied with every batch") {
  Emulated emulated;
  for (const int bits : {16, 8, 4}) {
    for (const std::uint64_t batch : {1, 2, 4, 8, 16, 32})
      check_case(emulated.gpu(), decode_case(bits, batch, granule));
    // Lanes without columns, blocks without rows, several steps of a row.
    for (const std::uint64_t columns : {128, 640, 8192})
      check_case(emulated.gpu(),
                 with(decode_case(bits, 2, columns == 640 ? 5 * granule : 2 * granule), "columns",
                      columns));
  }
}

TEST_CASE("rows, columns and vectors that a launch leaves out are found, and a wrong scale") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(decode_case(4, 4, 2 * granule), {});
  CHECK(trial->verify({}).ok);
  const auto check_with = [&](auto change) {
    before_decode(change);
    Check check = trial->verify({});
    fake_cuda::state().before_kernel = {};
    CHECK_FALSE(check.ok);
    return check.why;
  };
  using cuda::DecodeArguments;
  CHECK(contains(check_with([](DecodeArguments& all) { all.first += 4; }), "unwritten"));
  CHECK(contains(check_with([](DecodeArguments& all) { all.batch -= 4; }), "unwritten"));
  CHECK(contains(check_with([](DecodeArguments& all) { ++all.scales; }), "expected"));
  CHECK(contains(check_with([](DecodeArguments& all) { ++all.weights; }), "expected"));
  CHECK(contains(check_with([](DecodeArguments& all) { all.x += 4; }), "expected"));
}
