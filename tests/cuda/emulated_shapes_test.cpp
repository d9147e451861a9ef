// Every shape of the roof kernels on an emulated CUDA runtime: offered, prepared, verified.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/device.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/counted_cases.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/text.hpp"

using namespace kernels;

namespace {

// The emulated multiprocessor holds one block of 4 warps.
bool there_is(const ShapeChoice& choice) {
  return choice.axis != "warps per SM" || choice.value == "4";
}

// Prepares and verifies the case at its default shape, and with one axis at a time at each of its
// other values. Returns how many shapes there were.
int check_shapes(Device& gpu, const Case& c) {
  const auto check = [&](const Case& shaped) {
    CAPTURE(describe(shaped));
    const auto trial = gpu.prepare(shaped, {});
    const Check before = trial->verify({});
    CHECK_MESSAGE(before.ok, before.why);
    CHECK(trial->run({}).seconds > 0);
    CHECK(trial->work().flops + trial->work().bytes > 0);
  };
  check(c);
  int shapes = 1;
  for (const ShapeAxis& axis : gpu.shape_axes(c)) {
    for (std::size_t i = 1; i < axis.values.size(); ++i, ++shapes) {
      Case shaped = c;
      shaped.shape = {{axis.name, axis.values[i]}};
      if (there_is(shaped.shape.front())) {
        check(shaped);
      } else {
        CHECK_THROWS_AS(gpu.prepare(shaped, {}), Unsupported);
      }
    }
  }
  return shapes;
}

Case peak(Op op, Dtype dtype) {
  return {.family = Family::peak, .ops = op, .dtype = dtype, .elements = 600, .repeat = 37};
}

Case stream(Op op, std::uint64_t elements, std::uint64_t repeat) {
  return {.family = Family::stream, .ops = op, .elements = elements, .repeat = repeat};
}

}  // namespace

TEST_CASE("every shape of a vector peak verifies") {
  Emulated emulated;
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32}) {
    CHECK(check_shapes(emulated.gpu(), peak(Op::fma, dtype)) == 1 + 1 + 1 + 1);
    CHECK(check_shapes(emulated.gpu(), peak(Op::mul_add, dtype)) == 1 + 1 + 1 + 1);
  }
  CHECK(check_shapes(emulated.gpu(), peak(Op::fma, Dtype::fp16)) == 1 + 1 + 1 + 1);
  CHECK(check_shapes(emulated.gpu(), peak(Op::mul_add, Dtype::bf16)) == 1 + 1 + 1 + 1);
  CHECK(check_shapes(emulated.gpu(), peak(Op::fma, Dtype::int32)) == 1 + 1 + 1);
  CHECK(check_shapes(emulated.gpu(), peak(Op::mul_add, Dtype::int32)) == 1 + 1 + 1);
  CHECK(check_shapes(emulated.gpu(), peak(Op::mul, Dtype::fp32)) == 1 + 1 + 1);
}

TEST_CASE("every shape of a matrix peak verifies, with wgmma and with mma.sync") {
  Emulated emulated;
  const auto matrix = [](Dtype dtype, Op op = Op::mma) {
    return Case{.family = Family::peak,
                .ops = op,
                .dtype = dtype,
                .units = Units::matrix,
                .elements = 64 * tile_elements(dtype),
                .repeat = 3};
  };
  CHECK(check_shapes(emulated.gpu(), matrix(Dtype::bf16)) == 1 + 3 + 1 + 1 + 4);
  CHECK(check_shapes(emulated.gpu(), matrix(Dtype::bf16, Op::mma_sync)) == 1 + 3 + 4);
  CHECK(check_shapes(emulated.gpu(), matrix(Dtype::fp64)) == 1 + 2 + 4);
  Case c = matrix(Dtype::bf16);
  const auto note = [&] { return emulated.gpu().prepare(c, {})->run({}).remark; };
  CHECK(tests::contains(note(), "wgmma m64n256k16"));
  c.ops = Op::mma_sync;
  CHECK(tests::contains(note(), "mma.sync m16n8k16"));
  c.shape = {{"layout", "plain"}};
  CHECK_THROWS_WITH_AS(emulated.gpu().prepare(c, {}), doctest::Contains("has no shape \"layout\""),
                       Unsupported);
}

TEST_CASE("a newer GPU that runs the PTX of 9.0 has its matrix peaks by mma.sync") {
  for (const int capability : {100, 120}) {
    Emulated emulated({.capability = capability});
    emulated.gpu().open();
    Case c{.family = Family::peak,
           .ops = capability == 100 ? Op::mma_sync : Op::mma,
           .dtype = Dtype::bf16,
           .units = Units::matrix,
           .elements = 64 * tile_elements(Dtype::bf16),
           .repeat = 3};
    CHECK(emulated.gpu().shape_axes(c)[1].name == "warps per SM");
    check_case(emulated.gpu(), c);
    CHECK(tests::contains(emulated.gpu().prepare(c, {})->run({}).remark, "mma.sync m16n8k16"));
    c.dtype = Dtype::fp8;
    CHECK_THROWS_AS(emulated.gpu().prepare(c, {}), Unsupported);
  }
}

TEST_CASE("every shape of a stream verifies, for one pass and for several, at odd sizes") {
  Emulated emulated;
  for (const std::uint64_t repeat : {1, 3}) {
    for (const Op op : {Op::write, Op::copy, Op::triad}) {
      CHECK(check_shapes(emulated.gpu(), stream(op, 9001, repeat)) == 1 + (repeat == 1 ? 2 : 0));
    }
    for (const Op op : {Op::read, Op::l2, Op::l2_slices, Op::shared}) {
      CHECK(check_shapes(emulated.gpu(), stream(op, 9001, repeat)) == 1 + 1);
    }
  }
  CHECK(work_of(stream(Op::copy, 1000, 3)).bytes == 3 * 2 * 4000);
  CHECK_THROWS_WITH_AS(emulated.gpu().prepare(stream(Op::shared, 100000, 1), {}),
                       doctest::Contains("choose fewer"), Unsupported);
}

TEST_CASE("the reads of shared memory that ncu counts fit it, and every counted case can be had") {
  Emulated emulated;
  emulated.gpu().open();
  int counted = 0;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (!row.runs || row.family == Family::launch || row.family == Family::peak) continue;
    if (row.family == Family::matmul) continue;  // large
    const Case c = tests::counted_case(emulated.gpu(), row, Fusion::fused);
    CAPTURE(describe(c));
    CHECK(refusal_of(c) == "");
    CHECK(c.elements > 0);
    if (row.op == Op::shared) CHECK_NOTHROW(emulated.gpu().prepare(c, {}));
    ++counted;
  }
  CHECK(counted > 60);
}

TEST_CASE("inputs of zeros verify like random ones, and after it they are zeros again") {
  Emulated emulated;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (!row.runs || row.family == Family::launch || row.op == Op::gemm) continue;
    if (row.family == Family::matmul) continue;  // matmul/matmul_test.cpp
    if (row.family == Family::decode) continue;  // has no zeros
    if (row.family == Family::pointwise || row.family == Family::rowwise)
      continue;  // operators/operators_test.cpp
    const bool tiles = row.family == Family::tile || row.units == Units::matrix;
    const Case c{
        .family = row.family,
        .ops = row.op,
        .dtype = row.dtype,
        .units = row.units,
        .elements = tiles ? 3 * tile_elements(row.dtype) : 3001 * granule_of(row.family, row.dtype),
        .repeat = 2,
        .data = Data::zeros};
    CAPTURE(describe(c));
    const auto trial = emulated.gpu().prepare(c, {});
    for (int i = 0; i < 2; ++i) {
      const Check check = trial->verify({});
      CHECK_MESSAGE(check.ok, check.why);
    }
  }
}

TEST_CASE("axes are those of the architecture, and what they do not offer is refused") {
  const Case bf16{
      .family = Family::peak, .ops = Op::mma, .dtype = Dtype::bf16, .units = Units::matrix};
  CHECK(cuda::shape_axes(bf16, 900)[1].name == "A from");
  CHECK(cuda::shape_axes(bf16, 800)[1].name == "warps per SM");
  Case synchronous = bf16;
  synchronous.ops = Op::mma_sync;
  CHECK(cuda::shape_axes(synchronous, 900)[1].name == "warps per SM");
  CHECK(cuda::ShapeValues(stream(Op::read, 100, 1), 900)["width"].empty());
  CHECK(cuda::ShapeValues(stream(Op::read, 100, 1), 1000)["width"] == "16");
  CHECK(cuda::shape_axes({.elements = 100}, 900).empty());
  Case wrong = stream(Op::read, 100, 1);
  wrong.shape = {{"in flight", "3"}};
  CHECK_THROWS_WITH_AS(cuda::ShapeValues(wrong, 900), "in flight of stream can be 8, 4, not \"3\"",
                       Unsupported);
  wrong.shape = {{"colour", "red"}};
  CHECK_THROWS_WITH_AS(cuda::ShapeValues(wrong, 900), doctest::Contains("has no shape \"colour\""),
                       Unsupported);
}
