// The CUDA device on a real GPU: every kernel against the reference, sizes, cancelling, errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kernels/device.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/gpu/gpu_under_test.hpp"
#include "tests/cuda/refusal.hpp"
#include "tests/cuda/small_sizes.hpp"

using namespace kernels;
using tests::refusal;

namespace {

constexpr std::uint64_t one_gib = 1ULL << 30;

// The case verifies, its runs take time, and it still verifies after them.
void check_case(Device& device, const Case& c) {
  CAPTURE(describe(c));
  std::unique_ptr<Trial> trial;
  REQUIRE_NOTHROW(trial = device.prepare(c, {}));
  const Check before = trial->verify({});
  CHECK_MESSAGE(before.ok, before.why);
  for (int i = 0; i < 2; ++i) {
    const double seconds = trial->run({}).seconds;
    CHECK(std::isfinite(seconds));
    CHECK(seconds > 0);
  }
  const Check after = trial->verify({});
  CHECK_MESSAGE(after.ok, after.why);
}

// Cases of a family: rows that run, with the given sizes.
void check_rows(Device& device, Family family, const std::vector<std::uint64_t>& sizes,
                const std::vector<std::uint64_t>& repeats) {
  for (const Kernel& row : device.kernels()) {
    if (row.family != family || !row.runs) continue;
    const std::uint64_t unit = family == Family::tile ? tile_elements(row.dtype) : 1;
    for (const std::uint64_t size : sizes) {
      for (const std::uint64_t repeat : repeats) {
        for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
          check_case(device, {.family = family,
                              .ops = row.op,
                              .dtype = row.dtype,
                              .fusion = fusion,
                              .units = row.units,
                              .elements = size * unit,
                              .repeat = repeat});
        }
      }
    }
  }
}

Case copy_of(std::uint64_t elements) {
  return {.family = Family::stream, .ops = Op::copy, .elements = elements};
}

// 1 when the shape verifies, 0 when there is none.
int check_shape(Device& device, Case c, const std::string& axis, const std::string& value) {
  c.shape = {{axis, value}};
  CAPTURE(describe(c));
  try {
    const auto trial = device.prepare(c, {});
    const Check check = trial->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    CHECK(trial->run({}).seconds > 0);
    return 1;
  } catch (const Unsupported& error) {
    CHECK_FALSE(std::string(error.what()).empty());
    return 0;
  }
}

}  // namespace

// The scripts run these three under compute-sanitizer.
TEST_CASE("every kernel of roofs and workloads is right at small sizes") {
  Device* const gpu = gpu_under_test::device();
  if (gpu != nullptr) small_sizes::verify_roofs_and_workloads(*gpu, false);
}
TEST_CASE("every kernel of roofs and workloads that shares memory is right at small sizes") {
  Device* const gpu = gpu_under_test::device();
  if (gpu != nullptr) small_sizes::verify_roofs_and_workloads(*gpu, true);
}
TEST_CASE("every kernel of matrix products that shares memory is right at small sizes") {
  if (Device* const gpu = gpu_under_test::device()) small_sizes::verify_products(*gpu);
}
TEST_CASE("every kernel of packed weights is right at small sizes") {
  if (Device* const gpu = gpu_under_test::device()) small_sizes::verify_packed_weights(*gpu);
}
TEST_CASE("every kernel of pointwise operators is right at small sizes") {
  if (Device* const gpu = gpu_under_test::device()) small_sizes::verify_pointwise_operators(*gpu);
}
TEST_CASE("every kernel of operators on rows that shares memory is right at small sizes") {
  if (Device* const gpu = gpu_under_test::device()) small_sizes::verify_operators_on_rows(*gpu);
}

TEST_CASE("matrix products, ours and the library's, are right over many blocks") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Kernel& row : gpu->kernels()) {
    if (row.family != Family::matmul || !row.runs) continue;
    const Case c{
        .family = row.family, .ops = row.op, .dtype = row.dtype, .units = row.units, .by = row.by};
    for (const MatmulSize size : {MatmulSize{129, 272, 77}, {1000, 1040, 333}})
      check_case(*gpu, with_size(c, size));
  }
}

TEST_CASE("products of the library are right in every dtype, where there is one") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Kernel& row : gpu->kernels()) {
    if (row.op != Op::gemm || !row.runs) continue;
    Case c{.family = Family::peak, .ops = Op::gemm, .dtype = row.dtype, .units = Units::matrix};
    check_case(*gpu, c);
    c.elements = 512 * 512;
    for (const ShapeAxis& axis : gpu->shape_axes(c)) {
      if (axis.name != "m n k") continue;
      for (const std::string& value : axis.values) {
        c.shape = {{axis.name, value}};
        check_case(*gpu, c);
      }
    }
  }
}

TEST_CASE("the clock of a run lies near the one that the device states") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  const auto trial = gpu->prepare(copy_of(1 << 24), {});
  const std::optional<double> clock = trial->run({}).clock_hz;
  REQUIRE(clock.has_value());
  CHECK(*clock > 0.1 * gpu->info().clock_hz);
  CHECK(*clock < 1.2 * gpu->info().clock_hz);
}

TEST_CASE("chains compute the reference for every op and dtype, fused and unfused, at odd sizes") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  check_rows(*gpu, Family::chain, {1, 4099, (1 << 20) + 3}, {1, 5, 37});
}

TEST_CASE("the longest chain is right, fused and unfused") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  check_rows(*gpu, Family::chain, {100003}, {max_repeat});
}

TEST_CASE(
    "tiles compute the product on matrix and vector units, for even and odd numbers of tiles") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  check_rows(*gpu, Family::tile, {1, 2, 9, 4097}, {1, 3, 64});
}

TEST_CASE("streams read, write, copy and add every element, at odd sizes") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Op op : {Op::read, Op::write, Op::copy, Op::triad, Op::shared, Op::l2}) {
    for (const std::uint64_t elements : {1ULL, 4097ULL, (1ULL << 24) + 5}) {
      if (op == Op::shared && elements > 4097) continue;
      for (const std::uint64_t repeat : {1ULL, 3ULL}) {
        check_case(*gpu,
                   {.family = Family::stream, .ops = op, .elements = elements, .repeat = repeat});
      }
    }
  }
}

TEST_CASE("peak kernels compute their chains and tiles, and say how many they picked") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Kernel& row : gpu->kernels()) {
    if (row.family != Family::peak || !row.runs) continue;
    const Case c{.family = Family::peak,
                 .ops = row.op,
                 .dtype = row.dtype,
                 .units = row.units,
                 .repeat = 67};
    check_case(*gpu, c);
    const auto trial = gpu->prepare(c, {});
    CHECK(trial->work().flops > 0);
    CHECK(trial->work().bytes == 0);
    CHECK(trial->run({}).remark.find(row.units == Units::vector ? "chains" : "") !=
          std::string::npos);
  }
}

TEST_CASE("every shape of every roof kernel verifies, one axis at a time, or says why not") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  int shapes = 0;
  for (const Kernel& row : gpu->kernels()) {
    if (!row.runs || (row.family != Family::peak && row.family != Family::stream)) continue;
    Case c{.family = row.family, .ops = row.op, .dtype = row.dtype, .units = row.units};
    c.elements = row.family == Family::stream ? 100003 : 0;
    for (const std::uint64_t repeat : row.family == Family::stream
                                          ? std::vector<std::uint64_t>{1, 5}
                                          : std::vector<std::uint64_t>{67}) {
      c.repeat = repeat;
      for (const ShapeAxis& axis : gpu->shape_axes(c)) {
        for (const std::string& value : axis.values)
          shapes += check_shape(*gpu, c, axis.name, value);
      }
    }
  }
  CHECK(shapes > 100);
}

TEST_CASE("empty kernels are launched in a stream and as a graph") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Shape& shape : {Shape{{"launch", "stream"}}, Shape{{"launch", "graph"}}}) {
    for (const std::uint64_t repeat : {1ULL, 1000ULL}) {
      check_case(*gpu,
                 {.family = Family::launch, .ops = Op::none, .repeat = repeat, .shape = shape});
    }
  }
}

TEST_CASE("tensors beyond 2^32 elements are right to their last element, where they fit") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  if (gpu->free_bytes() < 24.0 * one_gib) {
    MESSAGE("not run: less than 24 GiB are free");
    return;
  }
  check_case(*gpu, {.dtype = Dtype::bf16, .elements = (1ULL << 32) + 5, .repeat = 3});
  const Dtype tiny = Dtype::int8;
  check_case(*gpu, {.family = Family::tile,
                    .ops = Op::mma,
                    .dtype = tiny,
                    .units = Units::vector,
                    .elements = (1ULL << 32) + tile_elements(tiny)});
}

TEST_CASE("a stop ends a run before it starts and in its middle, and the device goes on") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  std::stop_source stopped;
  stopped.request_stop();
  CHECK_THROWS_AS(gpu->prepare(copy_of(1000), stopped.get_token()), Cancelled);
  const auto trial = gpu->prepare(copy_of(1000), {});
  CHECK_THROWS_AS(trial->run(stopped.get_token()), Cancelled);
  CHECK_THROWS_AS(trial->verify(stopped.get_token()), Cancelled);

  // Seconds of work, were it not stopped.
  const auto elements =
      static_cast<std::uint64_t>(std::min(1.0 * (1 << 27), gpu->free_bytes() / 64));
  const auto long_trial = gpu->prepare(
      {.dtype = Dtype::fp64, .fusion = Fusion::unfused, .elements = elements, .repeat = max_repeat},
      {});
  std::stop_source stop;
  std::atomic<bool> started = false;
  std::jthread stopper([&] {
    started.wait(false);
    stop.request_stop();
  });
  CHECK_THROWS_AS(
      {
        started = true;
        started.notify_one();
        for (int i = 0; i < 1000; ++i) long_trial->run(stop.get_token());
      },
      Cancelled);
  check_case(*gpu, copy_of(4097));
}

TEST_CASE("a case beyond the memory is refused with sizes, and the device goes on") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  const auto all = static_cast<std::uint64_t>(gpu->free_bytes());
  CHECK(refusal(*gpu, copy_of(all)).find("free; choose smaller sizes") != std::string::npos);
  CHECK(refusal(*gpu, copy_of(1ULL << 60)) != "");
  check_case(*gpu, copy_of(4097));
}

TEST_CASE("what does not run is refused with the reason of its row") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Kernel& row : gpu->kernels()) {
    if (row.runs) continue;
    CHECK(refusal(*gpu, {.family = row.family,
                         .ops = row.op,
                         .dtype = row.dtype,
                         .units = row.units,
                         .elements = 1 << 20,
                         .by = row.by}) == row.why_not);
  }
  CHECK(refusal(*gpu, {.elements = 0}) != "");
  CHECK(refusal(*gpu, {.elements = 1000, .repeat = max_repeat + 1}) != "");
  CHECK(refusal(*gpu,
                {.family = Family::tile, .ops = Op::mma, .dtype = Dtype::fp16, .elements = 1000}) !=
        "");
}

TEST_CASE("two trials at a time do not share memory") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  const Case c{.elements = 100003, .repeat = 7};
  const auto first = gpu->prepare(c, {});
  const auto second = gpu->prepare(c, {});
  CHECK(first->verify({}).ok);
  CHECK(second->verify({}).ok);
  first->run({});
  CHECK(second->verify({}).ok);
  CHECK(first->verify({}).ok);
}

TEST_CASE("the device knows itself") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  const DeviceInfo& info = gpu->info();
  CHECK(info.id == "cuda:0");
  CHECK(info.kind == "cuda");
  CHECK(info.name != "");
  CHECK(info.driver != "");
  CHECK(info.multiprocessors > 0);
  CHECK(info.clock_hz > 1e8);
  CHECK(info.memory_bytes > 1e9);
  CHECK(info.l2_bytes > 0);
  CHECK(gpu->free_bytes() > 0);
  CHECK(gpu->free_bytes() <= info.memory_bytes);
  const auto big = gpu->prepare(copy_of(static_cast<std::uint64_t>(info.l2_bytes)), {});
  CHECK(big->cold());
  CHECK_FALSE(gpu->prepare(copy_of(1000), {})->cold());
  const Conditions now = gpu->conditions();
  if (now.clock_hz) CHECK(*now.clock_hz > 0);
}
