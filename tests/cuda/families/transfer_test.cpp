// Transfers between the host and the emulated GPU.
#include "kernels/families/transfer/transfer.hpp"

#include <doctest/doctest.h>

#include <string>

#include "kernels/cuda/bodies/arguments.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_nvml.hpp"
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

TEST_CASE("a GPU that reaches another one copies to it, and says which it is") {
  Emulated emulated(fake_cuda::State{.devices = 2, .devices_reach_each_other = true});
  CHECK(emulated.gpu(0).info().peer == "cuda:1");
  CHECK(emulated.gpu(1).info().peer == "cuda:0");
  for (const std::uint64_t bytes : {64, 8192, (1 << 20) + 64})
    check_case(emulated.gpu(0), transfer_case(Transfer::to_peer, bytes));
  check_case(emulated.gpu(1), transfer_case(Transfer::to_peer, 8192));
  const auto trial = emulated.gpu(0).prepare(transfer_case(Transfer::to_peer, 8 << 20), {});
  CHECK(trial->run({}).seconds == doctest::Approx((8 << 20) / 200e9).epsilon(0.3));
  fake_cuda::state().peer_loses = 1;
  CHECK(trial->verify({}).why == "byte 8388607 of 8388608 differs between the GPUs");
}

TEST_CASE("a GPU without another one in reach says so") {
  for (const int gpus : {1, 2}) {
    Emulated emulated(fake_cuda::State{.devices = gpus, .devices_reach_each_other = gpus == 1});
    CHECK(emulated.gpu().info().peer == "");
    CHECK_THROWS_WITH_AS(
        static_cast<void>(emulated.gpu().prepare(transfer_case(Transfer::to_peer, 8192), {})),
        "there is no other GPU that this one can write directly", Unsupported);
  }
}

TEST_CASE("memory of another GPU that is refused is a reason, and this GPU goes on") {
  Emulated emulated(fake_cuda::State{.devices = 2, .devices_reach_each_other = true});
  emulated.gpu().open();
  bool on_other = false;
  fake_cuda::state().on_call = [&on_other](const char* function, const void*) {
    const std::string name = function;
    if (name == "cudaDeviceEnablePeerAccess") on_other = true;
    if (!on_other || name != "cudaMalloc") return;
    fake_cuda::state().fault = {.call = fake_cuda::state().calls, .error = 2};  // out of memory
  };
  CHECK_THROWS_AS(
      static_cast<void>(emulated.gpu().prepare(transfer_case(Transfer::to_peer, 8192), {})),
      Unsupported);
  fake_cuda::state().on_call = {};
  fake_cuda::state().fault = {};
  check_case(emulated.gpu(), transfer_case(Transfer::to_pinned, 8192));
}

TEST_CASE("a GPU that stopped responding is no peer, and is not waited for") {
  Emulated emulated(fake_cuda::State{.devices = 2, .devices_reach_each_other = true});
  auto trial = emulated.gpu(0).prepare(transfer_case(Transfer::to_peer, 8192), {});
  const auto hangs = emulated.gpu(1).prepare({.elements = 1000}, {});
  fake_cuda::state().hung_device = 1;
  CHECK_THROWS_AS(static_cast<void>(hangs->run({})), DeviceLost);
  trial.reset();
  CHECK(fake_cuda::state().hangs == 0);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(emulated.gpu(0).prepare(transfer_case(Transfer::to_peer, 8192), {})),
      "cuda:1 has stopped responding", Unsupported);
  check_case(emulated.gpu(0), transfer_case(Transfer::to_pinned, 8192));
  CHECK(fake_cuda::state().hangs == 0);
}

TEST_CASE("a query that fails costs the name of the peer, not the GPU") {
  fake_cuda::State machine{.devices = 2, .devices_reach_each_other = true};
  machine.on_call = [](const char* function, const void*) {
    if (std::string(function) == "cudaDeviceCanAccessPeer")
      fake_cuda::state().fault = {.call = fake_cuda::state().calls, .error = 1};
  };
  Emulated emulated(machine);
  CHECK(emulated.gpu().info().peer == "");
}

TEST_CASE("the link is what NVML states: lanes of a generation; 0 where it does not tell") {
  const auto rate_of = [](unsigned generation, unsigned lanes) {
    fake_nvml::state() = {.link_generation = generation, .link_lanes = lanes};
    fake_nvml::install();
    Emulated emulated;
    const double rate = emulated.gpu().info().link_rate;
    fake_nvml::state() = {};
    return rate;
  };
  CHECK(rate_of(5, 16) == doctest::Approx(63.0e9).epsilon(0.001));
  CHECK(rate_of(3, 8) == doctest::Approx(7.877e9).epsilon(0.001));
  CHECK(rate_of(1, 16) == doctest::Approx(4e9));
  CHECK(rate_of(7, 16) == 0);
  CHECK(rate_of(0, 0) == 0);
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
