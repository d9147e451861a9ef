// Products of matrices, our own and the library's, on an emulated machine whose kernels are those
// of the GPU, thread by thread.
#include "kernels/families/matmul/matmul.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/cuda/matmul/matmul_rows.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_cublaslt.hpp"
#include "tests/cuda/refusal.hpp"
#include "tests/text.hpp"

using namespace kernels;
using kernels::cuda::product_tile;
using tests::contains;
using tests::refusal;

namespace {

Case product(Dtype dtype, Units units, MatmulSize size, By by = By::own) {
  return matmul_case(dtype, units, size, Data::random, by);
}

const Kernel& row_of(Device& gpu, Dtype dtype, Units units, By by) {
  const Kernel* const row = find_kernel(gpu.kernels(), product(dtype, units, {1, 1, 1}, by));
  REQUIRE(row != nullptr);
  return *row;
}

}  // namespace

TEST_CASE("products of every row of the table are right, around tiles and pieces, and of zeros") {
  fake_cublaslt::install();
  Emulated emulated;
  int seen = 0;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::matmul || !row.runs) continue;
    ++seen;
    for (const MatmulSize size : {MatmulSize{1, 16, 1}, {129, 144, 35}}) {
      Case c = product(row.dtype, row.units, size, row.by);
      check_case(emulated.gpu(), c);
      c.data = Data::zeros;
      check_case(emulated.gpu(), c);
    }
  }
  // Vector units: fp64, fp32, tf32, fp16, bf16, int8; matrix units without fp8; the library.
  CHECK(seen == 6 + 5 + 7);
}

TEST_CASE("a product of a millisecond is one launch, however many tiles it has: many run at once") {
  Emulated emulated;
  const double at_once = emulated.gpu().info().multiprocessors;
  fake_cuda::State& state = fake_cuda::state();
  state.known_kernels_compute = false;
  state.seconds_of = [&](const void*, const void*, std::uint64_t blocks) {
    return std::optional(1e-4 * std::ceil(static_cast<double>(blocks) / at_once));
  };
  const Case c = product(Dtype::fp32, Units::vector, {4096, 4096, 16});
  const Sample run = emulated.gpu().prepare(c, {})->run({});
  CHECK_FALSE(contains(run.remark, "slices"));
  const auto tiles = static_cast<double>(matmul_tiles(matmul_size(c), product_tile));
  CHECK(run.seconds == doctest::Approx(1e-4 * std::ceil(tiles / at_once)).epsilon(0.05));
}

TEST_CASE(
    "products with bias and relu are right by us and the library, or refused with a sentence") {
  fake_cublaslt::install();
  Emulated emulated;
  int seen = 0;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::matmul || !row.runs) continue;
    Case c =
        with_epilogue(product(row.dtype, row.units, {129, 144, 35}, row.by), Epilogue::bias_relu);
    CAPTURE(describe(c));
    if (row.dtype == Dtype::int8) {
      CHECK(contains(refusal(emulated.gpu(), c), "choose another element type"));
      continue;
    }
    if (row.dtype == Dtype::fp8) {
      CHECK(refusal(emulated.gpu(), c) ==
            "cuBLASLt adds only a bias of 16 bits to products of fp8: choose bf16");
      continue;
    }
    ++seen;
    check_case(emulated.gpu(), c);
    c.data = Data::zeros;
    check_case(emulated.gpu(), c);
  }
  CHECK(seen == 5 + 4 + 5);
}

TEST_CASE("a verification finds a bias that is left out or shifted, and a relu that is left out") {
  fake_cublaslt::install();
  Emulated emulated;
  fake_cublaslt::State& library = fake_cublaslt::state();
  const auto fused = [](By by) {
    return with_epilogue(product(Dtype::fp32, Units::vector, {40, 50, 9}, by), Epilogue::bias_relu);
  };
  const auto theirs = emulated.gpu().prepare(fused(By::library), {});
  CHECK(theirs->verify({}).ok);
  library.skips_relu = true;
  CHECK(contains(theirs->verify({}).why, "expected 0, got -"));
  library.skips_relu = false;
  library.first_bias_for_all = true;
  CHECK(theirs->verify({}).why.starts_with("row "));
  library.first_bias_for_all = false;
  CHECK(theirs->verify({}).ok);

  const auto ours = emulated.gpu().prepare(fused(By::own), {});
  const auto with = [&](void (*change)(cuda::MatmulArguments&)) {
    const auto kernels = cuda::matmul_vector_kernels();
    const void* const fp32 =
        std::ranges::find(kernels, Dtype::fp32, &cuda::MatmulKernel::dtype)->function;
    fake_cuda::state().before_kernel = [=](const void* function, void* arguments) {
      if (function == fp32) change(*static_cast<cuda::MatmulArguments*>(arguments));
    };
    const Check check = ours->verify({});
    fake_cuda::state().before_kernel = {};
    return check.why;
  };
  CHECK(with([](cuda::MatmulArguments&) {}) == "");
  CHECK(with([](cuda::MatmulArguments& args) { args.bias = nullptr; }).starts_with("row "));
  CHECK(with([](cuda::MatmulArguments& args) { args.bias = args.a; }).starts_with("row "));
}

namespace {

/// Batches and transposed inputs, with edges.
std::vector<MatmulSize> other_layouts() {
  std::vector<MatmulSize> sizes{{20, 144, 35, 3}};
  for (const Transposed transposed : {Transposed::a, Transposed::b, Transposed::both}) {
    sizes.push_back({129, 16, 35, 1, transposed});
    sizes.push_back({20, 130, 7, 2, transposed});
  }
  return sizes;
}

}  // namespace

TEST_CASE("products in batches and of transposed matrices are right, or refused with a sentence") {
  fake_cublaslt::install();
  Emulated emulated;
  int seen = 0;
  for (const Kernel& row : emulated.gpu().kernels()) {
    if (row.family != Family::matmul || !row.runs) continue;
    for (const MatmulSize size : other_layouts()) {
      const Case c = product(row.dtype, row.units, size, row.by);
      CAPTURE(describe(c));
      const bool library = row.by == By::library;
      if (library && !cuda::columns_refusal(row.dtype, size.n).empty()) continue;
      const bool narrow = size_of(row.dtype) < (library ? 2U : 4U);
      if (narrow && size.transposed != Transposed::b) {
        CHECK(contains(refusal(emulated.gpu(), c),
                       library ? "has no algorithm for this product"
                               : "where k lies side by side in A and in B: choose fp32"));
        continue;
      }
      ++seen;
      check_case(emulated.gpu(), c);
    }
  }
  // Vector units: three types in seven layouts, three in two; matrix units: two and three; the
  // library: five types in all, fp8 and int8 in one where n is a multiple of 16.
  CHECK(seen == 3 * 7 + 3 * 2 + 2 * 7 + 3 * 2 + 5 * 7 + 2);
}

TEST_CASE("a batch with bias and relu adds the same bias to each product") {
  fake_cublaslt::install();
  Emulated emulated;
  for (const By by : {By::own, By::library}) {
    for (const MatmulSize size : other_layouts())
      check_case(emulated.gpu(),
                 with_epilogue(product(Dtype::fp32, Units::vector, size, by), Epilogue::bias_relu));
  }
}

TEST_CASE("a verification finds a batch of which one product was computed, or of other factors") {
  fake_cublaslt::install();
  Emulated emulated;
  const MatmulSize size{20, 40, 9, 3};
  const auto theirs =
      emulated.gpu().prepare(product(Dtype::fp32, Units::vector, size, By::library), {});
  CHECK(theirs->verify({}).ok);
  fake_cublaslt::state().first_product_alone = true;
  CHECK(theirs->verify({}).why == "the kernel left 1600 of 2400 elements unwritten");
  const auto ours = emulated.gpu().prepare(product(Dtype::fp32, Units::vector, size), {});
  CHECK(ours->verify({}).ok);
  const auto kernels = cuda::matmul_vector_kernels();
  const auto kernel = std::ranges::find_if(kernels, [](const cuda::MatmulKernel& one) {
    return one.dtype == Dtype::fp32 && one.a == cuda::Layout::lines &&
           one.b == cuda::Layout::across;
  });
  REQUIRE(kernel != kernels.end());
  for (const auto change : {+[](cuda::MatmulArguments& args) { args.b_step = 0; },
                            +[](cuda::MatmulArguments& args) { args.a_step = 0; }}) {
    fake_cuda::state().before_kernel = [=](const void* function, void* arguments) {
      if (function == kernel->function) change(*static_cast<cuda::MatmulArguments*>(arguments));
    };
    CHECK(ours->verify({}).why.starts_with("product 1: row 0, column 0 of the product"));
  }
  fake_cuda::state().before_kernel = {};
}

TEST_CASE("rows of products tell the instruction and the tile, or why there is none") {
  fake_cublaslt::install();
  Emulated emulated;
  Device& gpu = emulated.gpu();
  CHECK(row_of(gpu, Dtype::fp32, Units::vector, By::own).note == "FMA, tiles of 128 x 128");
  CHECK(row_of(gpu, Dtype::bf16, Units::matrix, By::own).note ==
        "mma.sync m16n8k16, not wgmma, tiles of 128 x 128");
  CHECK(row_of(gpu, Dtype::bf16, Units::matrix, By::library).note == "cuBLASLt 13.1.0");
  CHECK(row_of(gpu, Dtype::fp32, Units::matrix, By::library).why_not ==
        "cuBLASLt multiplies fp32 on vector units");
  CHECK(row_of(gpu, Dtype::int32, Units::vector, By::own).why_not ==
        "products of integers are of int8; choose int8");
  CHECK(gpu.info().product_tile == cuda::product_tile);
  CHECK(cuda::library_units(Dtype::fp64, 750) == Units::vector);
  CHECK(cuda::library_units(Dtype::fp64, 800) == Units::matrix);
}

TEST_CASE("what the library does not multiply is refused with a sentence") {
  fake_cublaslt::install();
  Emulated emulated;
  Device& gpu = emulated.gpu();
  CHECK(refusal(gpu, product(Dtype::fp8, Units::matrix, {32, 24, 64}, By::library)) ==
        "cuBLASLt multiplies fp8 where n is a multiple of 16; here it is 24");
  CHECK(refusal(gpu, product(Dtype::int8, Units::matrix, {32, 6, 64}, By::library)) ==
        "cuBLASLt multiplies int8 where n is a multiple of 4; here it is 6");
  CHECK(refusal(gpu, product(Dtype::int8, Units::matrix, {32, 6, 64})) == "");
  fake_cublaslt::state().algorithms = 0;
  CHECK(refusal(gpu, product(Dtype::fp16, Units::matrix, {32, 24, 64}, By::library)) ==
        "cuBLASLt 13.1.0 has no algorithm for this product of fp16 on this GPU");
  CHECK(refusal(gpu, product(Dtype::fp32, Units::vector, {0, 24, 64})) ==
        "m 0: a matrix product takes 1 to 262144 rows");
  CHECK(contains(refusal(gpu, product(Dtype::fp64, Units::vector, {1 << 18, 1 << 18, 64})), "B"));
}

TEST_CASE("edges of products are whole tiles, and nothing else is offered") {
  Emulated emulated;
  Case c = product(Dtype::fp32, Units::vector, {130, 20, 8});
  c.shape = {{std::string(edges_axis), std::string(whole_edges)}};
  check_case(emulated.gpu(), c);
  c.shape.front().value = trimmed_edges;
  CHECK(contains(refusal(emulated.gpu(), c), "edges of matmul can be whole"));
}

TEST_CASE(
    "a verification finds a product that leaves terms out, computes less, or rounds too much") {
  fake_cublaslt::install();
  Emulated emulated;
  fake_cublaslt::State& library = fake_cublaslt::state();
  const auto theirs =
      emulated.gpu().prepare(product(Dtype::bf16, Units::matrix, {40, 48, 99}, By::library), {});
  const Check good = theirs->verify({});
  CHECK(good.ok);
  CHECK(good.error < 1e-6);
  library.skipped_terms = 8;
  CHECK(theirs->verify({}).why.starts_with("row "));
  library.skipped_terms = 0;
  CHECK(theirs->verify({}).ok);
  // Factors that are right in the checked integers, and rounded in the data of the case.
  const auto fp32 =
      emulated.gpu().prepare(product(Dtype::fp32, Units::vector, {40, 48, 99}, By::library), {});
  library.round_a = [](double a) { return a == std::floor(a) ? a : round_to(Dtype::bf16, a); };
  CHECK(contains(fp32->verify({}).why, "within"));
  library.round_a = [](double a) { return a; };
}

TEST_CASE("a verification finds our own product a tile short, or of other lines") {
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(product(Dtype::fp32, Units::vector, {40, 50, 9}), {});
  const auto with = [&](void (*change)(cuda::MatmulArguments&)) {
    const auto kernels = cuda::matmul_vector_kernels();
    const void* const fp32 =
        std::ranges::find(kernels, Dtype::fp32, &cuda::MatmulKernel::dtype)->function;
    fake_cuda::state().before_kernel = [=](const void* function, void* arguments) {
      if (function == fp32) change(*static_cast<cuda::MatmulArguments*>(arguments));
    };
    const Check check = trial->verify({});
    fake_cuda::state().before_kernel = {};
    return check.why;
  };
  CHECK(with([](cuda::MatmulArguments&) {}) == "");
  CHECK(with([](cuda::MatmulArguments& args) { args.m = 39; }) ==
        "the kernel left 50 of 2000 elements unwritten");
  CHECK(with([](cuda::MatmulArguments& args) { args.m = 41; }) ==
        "the kernel wrote beyond the end of its output");
  CHECK(contains(with([](cuda::MatmulArguments& args) { args.pieces -= 1; }), "row 0, column 0"));
  CHECK(contains(with([](cuda::MatmulArguments& args) { args.b += args.pieces; }),
                 "row 0, column 0"));
}
