// The backend from open_cuda() to verified, timed trials, on an emulated CUDA runtime.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/device.hpp"
#include "kernels/families/decode/decode.hpp"
#include "kernels/families/divergence/divergence.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/fake_runtime.hpp"
#include "tests/cuda/fakes/libraries/fake_cublaslt.hpp"

using namespace kernels;

namespace {

void check_rows(Device& gpu, Family family, std::uint64_t size, std::uint64_t repeat) {
  for (const Kernel& row : gpu.kernels()) {
    if (row.family != family || !row.runs) continue;
    const std::uint64_t unit = family == Family::tile ? tile_elements(row.dtype) : 1;
    for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
      check_case(gpu, {.family = family,
                       .ops = row.op,
                       .dtype = row.dtype,
                       .fusion = fusion,
                       .units = row.units,
                       .elements = size * unit,
                       .repeat = repeat});
    }
  }
}

// A chain of `blocks` blocks whose launches take `step` seconds each.
std::unique_ptr<Trial> timed_chain(Emulated& emulated, Fusion fusion, std::uint64_t blocks,
                                   std::uint64_t repeat, double block_seconds) {
  fake_cuda::state().launch_seconds = 1e-6;
  fake_cuda::state().block_seconds = block_seconds;
  return emulated.gpu().prepare(
      {.fusion = fusion,
       .elements = blocks * cuda::chain_elements(cuda::few_vectors, sizeof(float)),
       .repeat = repeat},
      {});
}

}  // namespace

TEST_CASE("every kernel of every family verifies before and after it is timed") {
  Emulated emulated;
  check_rows(emulated.gpu(), Family::chain, 5001, 3);
  check_rows(emulated.gpu(), Family::chain, 1, 1);
  check_rows(emulated.gpu(), Family::tile, 1, 2);
  check_rows(emulated.gpu(), Family::tile, 19, 3);
  check_rows(emulated.gpu(), Family::stream, 9001, 1);
  check_rows(emulated.gpu(), Family::launch, 0, 5);
}

TEST_CASE("a peak picks a shape, fills in its work and verifies every chain") {
  Emulated emulated;
  fake_cuda::state().launch_seconds = 3e-3;  // two waves are enough
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::peak || !row.runs) continue;
    const Case c{
        .family = Family::peak, .ops = row.op, .dtype = row.dtype, .units = row.units, .repeat = 2};
    const auto trial = emulated.gpu().prepare(c, {});
    CAPTURE(describe(c));
    CHECK(trial->work().flops > 0);
    const Check check = trial->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    CHECK(trial->run({}).seconds == doctest::Approx(3e-3).epsilon(0.01));
  }
}

TEST_CASE(
    "a verification finds an element that a kernel left out, got wrong, or wrote behind the end") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  const auto trial = emulated.gpu().prepare({.elements = 5001, .repeat = 2}, {});
  CHECK(trial->verify({}).ok);

  state.before_chain = [](void* args) { static_cast<cuda::ChainArguments*>(args)->elements -= 3; };
  CHECK(trial->verify({}).why == "the kernel left 3 of 5001 elements unwritten");
  state.before_chain = {};

  const auto spoil = [](std::size_t offset) {
    return [offset](const void* args) {
      auto* const out = static_cast<const cuda::ChainArguments*>(args)->out;
      reinterpret_cast<unsigned char*>(out)[offset] ^= 0x40;
    };
  };
  state.after_chain = spoil(5000 * sizeof(float));
  CHECK(trial->verify({}).why.starts_with("element 5000 of 5001: expected"));
  state.after_chain = spoil(5001 * sizeof(float));
  CHECK(trial->verify({}).why == "the kernel wrote beyond the end of its output");
  state.after_chain = {};
  CHECK(trial->verify({}).ok);
}

TEST_CASE("a verification finds a chain that is short of ops, in every dtype, op and length") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::chain || !row.runs) continue;
    for (const std::uint64_t repeat : {4, 101, 400}) {
      const auto trial = emulated.gpu().prepare(
          {.ops = row.op, .dtype = row.dtype, .elements = 300, .repeat = repeat}, {});
      CAPTURE(name_of(row.op));
      CAPTURE(name_of(row.dtype));
      CAPTURE(repeat);
      CHECK(trial->verify({}).ok);
      for (const std::uint32_t missing : {2U, static_cast<std::uint32_t>(repeat / 2)}) {
        state.before_chain = [&](void* args) {
          std::uint32_t& ops = static_cast<cuda::ChainArguments*>(args)->repeat;
          ops -= std::min(ops, missing);
        };
        CHECK_FALSE(trial->verify({}).ok);
        state.before_chain = {};
      }
    }
  }
}

TEST_CASE("branches verify at any number of paths, masks are refused, and a wrong path is found") {
  Emulated emulated;
  Case c{.family = Family::divergence, .ops = Op::branches, .elements = 1280, .repeat = 37};
  for (const std::uint64_t paths : {1, 5, 32}) check_case(emulated.gpu(), with(c, "paths", paths));
  fake_cuda::state().before_kernel = [](const void* function, void* arguments) {
    if (function != cuda::divergence_function()) return;
    auto* const args = static_cast<cuda::DivergenceArguments*>(arguments);
    args->path += 1;  // each element takes the path of its neighbour
    args->elements -= 1;
  };
  CHECK_FALSE(emulated.gpu().prepare(with(c, "paths", 32), {})->verify({}).ok);
  fake_cuda::state().before_kernel = {};
  c.ops = Op::masked;
  CHECK_THROWS_AS(emulated.gpu().prepare(c, {}), Unsupported);
}

TEST_CASE("a chain of zeros is verified on random data and timed on zeros") {
  Emulated emulated;
  const auto trial =
      emulated.gpu().prepare({.elements = 300, .repeat = 3, .data = Data::zeros}, {});
  bool zeros = false;
  fake_cuda::state().before_chain = [&](void* args) {
    const auto* const chain = static_cast<const cuda::ChainArguments*>(args);
    const auto* const in = reinterpret_cast<const float*>(chain->in);
    zeros = std::all_of(in, in + chain->elements, [](float x) { return x == 0; });
  };
  trial->run({});
  CHECK(zeros);
  CHECK(trial->verify({}).ok);
  CHECK_FALSE(zeros);
  trial->run({});
  CHECK(zeros);
  fake_cuda::state().before_chain = {};
}

TEST_CASE("a value that looks like a poison counts as written, two of them and many too") {
  Emulated emulated;
  cuda::Gpu gpu(0);
  const auto poisoned_at = [&](std::uint64_t first, std::uint64_t second, std::uint64_t left_out) {
    const cuda::Buffer out = gpu.pool().take(1000 * sizeof(std::uint32_t));
    return cuda::check_coverage(
               gpu, out, sizeof(std::uint32_t),
               [&] {
                 for (std::uint32_t i = 0; i < 1000; ++i) {
                   const std::uint32_t value = i < first ? 0xffffffff : i < second ? 0x5a5a5a5a : i;
                   if (i < 1000 - left_out) out.as<std::uint32_t>()[i] = value;
                 }
               })
        .why;
  };
  CHECK(poisoned_at(0, 0, 0) == "");
  CHECK(poisoned_at(1, 2, 0) == "");
  CHECK(poisoned_at(200, 400, 0) == "");
  CHECK(poisoned_at(1000, 1000, 0) == "");
  CHECK(poisoned_at(1, 2, 1) == "the kernel left 1 of 1000 elements unwritten");
  CHECK(poisoned_at(0, 0, 900) == "the kernel left 900 of 1000 elements unwritten");
  CHECK(poisoned_at(0, 0, 1000) == "the kernel left 1000 of 1000 elements unwritten");
}

TEST_CASE("a short case is repeated as a graph until the region takes 100 us") {
  Emulated emulated;
  const auto trial = timed_chain(emulated, Fusion::fused, 2, 1, 1e-6);
  const Sample run = trial->run({});
  CHECK(run.seconds == doctest::Approx(3e-6).epsilon(0.01));
  CHECK(fake_cuda::state().graph_launches > 0);
  CHECK(run.remark.find("graph") != std::string::npos);
  const std::uint64_t before = fake_cuda::state().launches;
  trial->run({});
  CHECK(static_cast<double>(fake_cuda::state().launches - before) * 3e-6 >= 100e-6);
}

TEST_CASE("what comes from DRAM is timed over at least 1 ms, and says what the events add") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  emulated.gpu().open();
  state.launch_seconds = 125e-6;
  const auto runs_per_region = [&](std::uint64_t elements) {
    const auto trial = emulated.gpu().prepare(
        {.family = Family::stream, .ops = Op::copy, .elements = elements}, {});
    trial->run({});
    const std::uint64_t before = state.launches;
    const Sample run = trial->run({});
    CHECK(run.seconds == doctest::Approx(125e-6));
    REQUIRE(run.values.size() == 1);
    CHECK(run.values[0].name == "event floor");
    CHECK(run.values[0].value == doctest::Approx(60e-6));
    return state.launches - before;
  };
  CHECK(runs_per_region(1 << 19) >= 8);  // 4 MiB in two tensors: four times the L2
  CHECK(runs_per_region(1 << 18) == 1);
  CHECK(emulated.gpu()
            .prepare({.family = Family::launch, .ops = Op::none}, {})
            ->run({})
            .values.empty());
}

TEST_CASE("unfused steps that are long are launched one by one under a hold") {
  Emulated emulated;
  const auto trial = timed_chain(emulated, Fusion::unfused, 4, 10, 25e-6);
  CHECK(trial->run({}).seconds == doctest::Approx(10 * 101e-6).epsilon(0.01));
  CHECK(fake_cuda::state().graph_launches == 0);
  CHECK(fake_cuda::state().holds > 0);
}

TEST_CASE("all samples of a point are launched alike, whatever their times") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  const auto slow = timed_chain(emulated, Fusion::unfused, 4, 10, 6e-6);
  slow->run({});
  state.block_seconds = 3e-6;
  slow->run({});
  CHECK(slow->run({}).seconds == doctest::Approx(10 * 13e-6).epsilon(0.01));
  CHECK(state.graph_launches == 0);

  const auto fast = timed_chain(emulated, Fusion::unfused, 4, 10, 3e-6);
  fast->run({});
  const std::uint64_t before = state.graph_launches;
  state.block_seconds = 6e-6;
  fast->run({});
  CHECK(fast->run({}).remark == "launches replayed as a graph");
  CHECK(state.graph_launches == before + 2);
}

TEST_CASE("a long launch is cut into slices, its time is their sum, and its result is whole") {
  Emulated emulated;
  const auto trial = timed_chain(emulated, Fusion::fused, 37, 2, 0.02);
  CHECK(trial->verify({}).ok);
  fake_cuda::state().longest_unwaited = 0;
  CHECK(trial->run({}).seconds == doctest::Approx(37 * 0.02).epsilon(0.01));
  // What waits between two looks at the stop token.
  CHECK(fake_cuda::state().longest_unwaited < 0.15);
}

TEST_CASE("a stop ends a long run between two batches") {
  Emulated emulated;
  const auto trial = timed_chain(emulated, Fusion::unfused, 4, 1000, 2e-3);
  trial->run({});
  std::stop_source stop;
  const std::uint64_t before = fake_cuda::state().launches;
  fake_cuda::state().on_launch = [&] {
    if (fake_cuda::state().launches - before == 100) stop.request_stop();
  };
  CHECK_THROWS_AS(trial->run(stop.get_token()), Cancelled);
  CHECK(fake_cuda::state().launches - before < 120);
}

TEST_CASE("no call uses the legacy stream, whose copies ours do not wait for") {
  fake_cublaslt::install();
  Emulated emulated;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (!row.runs || (row.family == Family::peak && row.op != Op::gemm)) continue;
    if (row.family == Family::pointwise || row.family == Family::rowwise)
      continue;  // operators/operators_test.cpp
    if (row.family == Family::decode) {
      check_case(emulated.gpu(), decode_case(8, 2, granule_of(row.family, row.dtype)));
      continue;
    }
    if (row.family == Family::matmul) {
      check_case(emulated.gpu(), with_size({.family = row.family,
                                            .ops = row.op,
                                            .dtype = row.dtype,
                                            .units = row.units,
                                            .by = row.by},
                                           {5, 16, 7}));
      continue;
    }
    const std::uint64_t unit = granule_of(row.family, row.dtype);
    check_case(emulated.gpu(), {.family = row.family,
                                .ops = row.op,
                                .dtype = row.dtype,
                                .units = row.units,
                                .elements = row.op == Op::gemm ? 96 * 96 : 100 * unit,
                                .repeat = 2});
  }
  check_case(emulated.gpu(),
             {.family = Family::peak, .ops = Op::fma, .elements = 600, .repeat = 3});
  CHECK(fake_cuda::state().legacy_calls == 0);
}

TEST_CASE("a trial whose holds run out goes on without them and says so; the next one is held") {
  Emulated emulated;
  fake_cuda::State& state = fake_cuda::state();
  const std::string ran_out = "the wait that holds the stream timed out three times in a row";
  const auto runs = [&](int expiring) {
    const auto trial = emulated.gpu().prepare({.elements = 5001, .repeat = 2}, {});
    trial->run({});
    state.expiring_holds = expiring;
    trial->run({});
    const std::uint64_t held = state.holds;
    const bool says_so = trial->run({}).remark.find(ran_out) != std::string::npos;
    CHECK(trial->verify({}).ok);
    return std::pair(state.holds > held, says_so);
  };
  CHECK(runs(0) == std::pair(true, false));
  CHECK(runs(2) == std::pair(true, false));
  CHECK(runs(3) == std::pair(false, true));
  CHECK(runs(0) == std::pair(true, false));
}

TEST_CASE("an error of the device ends its use, with the runtime's words") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare({.elements = 100}, {});
  fake_cuda::state().fail_query = 700;  // cudaErrorIllegalAddress
  CHECK_THROWS_WITH_AS(trial->run({}),
                       "CUDA: waiting for the GPU failed: an emulated error (cudaErrorEmulated); "
                       "restart the program, and look for Xid messages in the kernel log",
                       DeviceLost);
  fake_cuda::state().fail_query = 0;
}

TEST_CASE(
    "memory that earlier trials gave back counts as free, and too much is refused with sizes") {
  Emulated emulated;
  const double at_first = emulated.gpu().free_bytes();
  { const auto trial = emulated.gpu().prepare({.elements = 1 << 20}, {}); }
  CHECK(emulated.gpu().free_bytes() == at_first);
  CHECK_THROWS_WITH_AS(emulated.gpu().prepare({.elements = 1 << 27}, {}),
                       doctest::Contains("choose smaller sizes"), Unsupported);
  CHECK(emulated.gpu().free_bytes() == at_first);
  check_case(emulated.gpu(), {.elements = 5001});
}
