// Transfers between the host and the emulated GPU.
#include "kernels/families/transfer.hpp"

#include <doctest/doctest.h>

#include <string>

#include "kernels/cuda/bodies/arguments.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;

namespace {

constexpr Transfer all[] = {Transfer::to_pageable,   Transfer::to_pinned,   Transfer::to_mapped,
                            Transfer::from_pageable, Transfer::from_pinned, Transfer::from_mapped,
                            Transfer::both_pinned};

}  // namespace

TEST_CASE("each transfer moves every byte, before and after it is timed") {
  Emulated emulated;
  for (const Transfer transfer : all)
    for (const std::uint64_t bytes : {64, 8192, (1 << 20) + 64})
      check_case(emulated.gpu(), transfer_case(transfer, bytes));
}

TEST_CASE("a transfer takes as long as the link") {
  Emulated emulated;
  fake_cuda::state().link_rate = 20e9;
  const auto seconds = [&](Transfer transfer) {
    return emulated.gpu().prepare(transfer_case(transfer, 8 << 20), {})->run({}).seconds;
  };
  CHECK(seconds(Transfer::to_pinned) == doctest::Approx((8 << 20) / 20e9).epsilon(0.05));
  CHECK(seconds(Transfer::from_pageable) == doctest::Approx((8 << 20) / 20e9).epsilon(0.05));
}

TEST_CASE("a byte that does not arrive is found") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(transfer_case(Transfer::to_mapped, 8192), {});
  CHECK(trial->verify({}).ok);
  fake_cuda::state().before_kernel = [](const void*, void* arguments) {
    static_cast<cuda::StreamArguments*>(arguments)->elements -= 1;
  };
  const Check check = trial->verify({});
  fake_cuda::state().before_kernel = {};
  CHECK_FALSE(check.ok);
  CHECK(contains(check.why, "of 8192 differs between host and GPU"));
}

TEST_CASE("page-locked memory that the system refuses is a reason, and pageable memory goes on") {
  Emulated emulated;
  static_cast<void>(emulated.gpu().free_bytes());
  emulated.gpu().open();
  fake_cuda::state().on_call = [](const char* function, const void*) {
    if (std::string(function) != "cudaHostAlloc") return;
    fake_cuda::state().fault = {.call = fake_cuda::state().calls, .error = 2};  // out of memory
  };
  std::string why;
  try {
    static_cast<void>(emulated.gpu().prepare(transfer_case(Transfer::to_pinned, 8192), {}));
  } catch (const Unsupported& reason) {
    why = reason.what();
  }
  CHECK(contains(why, "allocating page-locked memory failed"));
  CHECK(contains(why, "choose smaller sizes"));
  fake_cuda::state().on_call = {};
  fake_cuda::state().fault = {};
  check_case(emulated.gpu(), transfer_case(Transfer::to_pageable, 8192));
}

TEST_CASE("a stop ends a transfer, and a GPU that hangs is lost") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(transfer_case(Transfer::both_pinned, 8192), {});
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_AS(static_cast<void>(trial->run(source.get_token())), Cancelled);
  fake_cuda::state().hung_device = 0;
  CHECK_THROWS_AS(static_cast<void>(trial->run({})), DeviceLost);
}
