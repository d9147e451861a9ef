// Operators of neural networks from open_cuda() to verified, timed trials, on an emulated CUDA
// runtime.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/refusal.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;
using tests::refusal;

namespace {

Case pointwise(Ops ops, std::uint64_t elements = 5001, Fusion fusion = Fusion::fused) {
  return {.family = Family::pointwise, .ops = ops, .fusion = fusion, .elements = elements};
}

Case rowwise(Op op, std::uint64_t rows, std::uint64_t columns, Dtype dtype = Dtype::fp32) {
  Case c{.family = Family::rowwise, .ops = op, .dtype = dtype, .elements = rows * columns};
  return with(c, "columns", columns);
}

template <class Kernels>
bool is_among(const Kernels& kernels, const void* function) {
  return std::ranges::any_of(kernels, [&](const auto& one) { return one.function == function; });
}

/// Spoils a byte of what each launch of these kernels has just written.
template <class Arguments, class Kernels>
void spoil(const Kernels& kernels, std::size_t offset, std::uint8_t bits) {
  static void* out = nullptr;
  fake_cuda::state().before_kernel = [=](const void* function, void* arguments) {
    out = is_among(kernels, function) ? static_cast<Arguments*>(arguments)->out : nullptr;
  };
  fake_cuda::state().on_launch = [=] {
    if (out != nullptr) static_cast<std::uint8_t*>(out)[offset] ^= bits;
  };
}

}  // namespace

TEST_CASE("every operator verifies in fp32, fp64 and bf16, at odd sizes") {
  Emulated emulated;
  int rows = 0;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::pointwise || !row.runs) continue;
    for (const std::uint64_t elements : {1, 17, 5001}) {
      Case c = pointwise(row.op, elements);
      c.dtype = row.dtype;
      check_case(emulated.gpu(), c);
    }
    ++rows;
  }
  CHECK(rows == 3 * static_cast<int>(Family::pointwise->ops.size()));
}

TEST_CASE("chains verify fused by a list and unfused, at any length") {
  Emulated emulated;
  for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
    check_case(emulated.gpu(), pointwise({Op::cos, Op::cos}, 5001, fusion));
    check_case(emulated.gpu(), pointwise({Op::relu, Op::mul, Op::gelu}, 300, fusion));
    Case c = pointwise({Op::cos, Op::tanh, Op::add}, 1000, fusion);
    check_case(emulated.gpu(), with(c, "length", 16));
    c.repeat = 3;
    c.dtype = Dtype::fp64;
    check_case(emulated.gpu(), with(c, "length", 10));
  }
  const auto trial = emulated.gpu().prepare(pointwise({Op::cos, Op::cos}), {});
  CHECK(trial->run({}).note ==
        "operators from a list, applied in registers; functions of CUDA, within 2 ULP");
}

TEST_CASE("operators on zeros verify on random data, and use no legacy stream") {
  Emulated emulated;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (!row.runs || (row.family != Family::pointwise && row.family != Family::rowwise)) continue;
    Case c = row.family == Family::pointwise ? pointwise(row.op, 100) : rowwise(row.op, 64, 64);
    c.dtype = row.dtype;
    c.data = Data::zeros;
    check_case(emulated.gpu(), c);
  }
  CHECK(fake_cuda::state().legacy_calls == 0);
}

TEST_CASE("a verification of a chain finds an operator that is missing, and a few wrong places") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(pointwise({Op::relu, Op::gelu, Op::tanh}), {});
  CHECK(trial->verify({}).ok);
  fake_cuda::state().before_kernel = [](const void* function, void* arguments) {
    if (is_among(cuda::pointwise_list_kernels(), function))
      --static_cast<cuda::PointwiseListArguments*>(arguments)->steps;
  };
  CHECK(contains(trial->verify({}).why, "expected"));
  fake_cuda::state().before_kernel = {};
  CHECK(trial->verify({}).ok);

  const auto one = emulated.gpu().prepare(pointwise(Op::exp), {});
  CHECK(one->verify({}).ok);
  spoil<cuda::PointwiseArguments>(cuda::pointwise_kernels(), 5000 * sizeof(float),
                                  0x20);  // 32 places of 24 bits
  CHECK(one->verify({}).why.starts_with("element 5000 of 5001: expected"));
}

TEST_CASE("every operator on rows verifies: rows of a warp, of four, and longer ones") {
  Emulated emulated;
  int rows = 0;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::rowwise || !row.runs) continue;
    for (const std::uint64_t columns : {64, 1024, 4160, 4224})
      check_case(emulated.gpu(), rowwise(row.op, 64, columns, row.dtype));
    check_case(emulated.gpu(), rowwise(row.op, 128, 192, row.dtype));
    ++rows;
  }
  CHECK(rows == 3 * static_cast<int>(Family::rowwise->ops.size()));
}

TEST_CASE("a verification of rows finds a wrong element, in the first row and the last") {
  Emulated emulated;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::rowwise || row.dtype != Dtype::fp32 || !row.runs) continue;
    const Op op = row.op;
    CAPTURE(op->name);
    const auto trial = emulated.gpu().prepare(rowwise(op, 64, 128), {});
    CHECK(trial->verify({}).ok);
    const std::size_t last = op == Op::sum          ? 63
                             : op == Op::column_sum ? 127
                                                    : std::size_t{64 * 128 - 1};
    for (const std::size_t element : {std::size_t{0}, last}) {
      spoil<cuda::RowwiseArguments>(cuda::rowwise_kernels(), element * sizeof(float) + 2, 0x40);
      CHECK(contains(trial->verify({}).why, "element " + std::to_string(element) + " of"));
    }
    fake_cuda::state().before_kernel = {};
    fake_cuda::state().on_launch = {};
  }
}

TEST_CASE("sums of columns are of one part of the rows, of several, and of parts of any length") {
  Emulated emulated;
  for (const std::uint64_t rows : {64, 128, 192, 320, 16384}) {
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp64, Dtype::bf16})
      check_case(emulated.gpu(), rowwise(Op::column_sum, rows, 64, dtype));
  }
}

TEST_CASE("sums of columns claim the launches that they make: two where they have parts") {
  Emulated emulated;
  for (const std::uint64_t rows : {64, 512}) {
    CAPTURE(rows);
    const auto trial = emulated.gpu().prepare(rowwise(Op::column_sum, rows, 128), {});
    int of_rows = 0, of_parts = 0;
    fake_cuda::state().before_kernel = [&](const void* function, void* arguments) {
      if (!is_among(cuda::rowwise_kernels(), function)) return;
      const auto& args = *static_cast<const cuda::RowwiseArguments*>(arguments);
      ++(args.rows == rows ? of_rows : of_parts);
    };
    trial->run({});
    fake_cuda::state().before_kernel = {};
    CHECK(of_rows > 0);
    CHECK((of_parts > 0) == (rows == 512));
    CHECK(trial->work().launches == (rows == 64 ? 1 : 2));
  }
}

TEST_CASE("operators of bf16 compute in fp32 and round once: what is two units off is found") {
  Emulated emulated;
  for (const Op op : {Op::softmax, Op::layernorm, Op::residual, Op::column_sum}) {
    CAPTURE(op->name);
    const auto trial = emulated.gpu().prepare(rowwise(op, 256, 128, Dtype::bf16), {});
    const Check check = trial->verify({});
    CHECK_MESSAGE(check.ok, check.why);
    CHECK(check.error > 0);
    CHECK(check.error < 0x1p-7);
    // Two units in the last place of the first element.
    spoil<cuda::RowwiseArguments>(cuda::rowwise_kernels(), 0, 0x02);
    CHECK(contains(trial->verify({}).why, "element 0 of"));
    fake_cuda::state().before_kernel = {};
    fake_cuda::state().on_launch = {};
  }
}

TEST_CASE("chains of bf16 operators run unfused, and not fused: they say what to choose") {
  Emulated emulated;
  Case chain = pointwise({Op::relu, Op::mul, Op::gelu}, 5001, Fusion::unfused);
  chain.dtype = Dtype::bf16;
  check_case(emulated.gpu(), chain);
  chain.fusion = Fusion::fused;
  CHECK(contains(refusal(emulated.gpu(), chain), "choose unfused, or fp32"));
}

TEST_CASE("a verification finds a part of the rows that sums of columns leave out") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(rowwise(Op::column_sum, 512, 128), {});
  CHECK(trial->verify({}).ok);
  fake_cuda::state().before_kernel = [](const void* function, void* arguments) {
    auto& args = *static_cast<cuda::RowwiseArguments*>(arguments);
    if (is_among(cuda::rowwise_kernels(), function) && args.rows == 4) args.rows = 3;
  };
  CHECK(contains(trial->verify({}).why, "element 0 of 128: expected"));
  fake_cuda::state().before_kernel = {};
}

TEST_CASE("what has no kernel, cannot be told or does not divide is refused with a reason") {
  Emulated emulated;
  Device& gpu = emulated.gpu();
  Case half = pointwise(Op::relu);
  half.dtype = Dtype::fp16;
  CHECK(refusal(gpu, half) ==
        "pointwise operators run in fp32, fp64 and bf16: choose one of these");
  CHECK(contains(refusal(gpu, with(pointwise(Op::exp), "length", 8)),
                 "too large to verify enough results"));
  CHECK(contains(refusal(gpu, rowwise(Op::sum, 64, 100)), "come in multiples of 64"));
  CHECK(refusal(gpu, pointwise(Op::layernorm)) != "");
}

TEST_CASE("a long row kernel can be cut and stopped between its parts") {
  Emulated emulated;
  fake_cuda::state().launch_seconds = 1e-6;
  fake_cuda::state().block_seconds = 20e-3;
  for (const Op op : {Op::softmax, Op::transpose, Op::column_sum}) {
    const auto trial = emulated.gpu().prepare(rowwise(op, 256, 256), {});
    CHECK(trial->verify({}).ok);
    // Blocks: eight rows of a warp; tiles; two parts of each of four groups, and their sums.
    const int blocks = op == Op::softmax ? 32 : op == Op::transpose ? 16 : 4 * 2 + 4;
    const Sample run = trial->run({});
    CHECK(run.seconds == doctest::Approx(20e-3 * blocks).epsilon(0.01));
    CHECK(contains(run.remark, "cut into slices"));
  }
}
