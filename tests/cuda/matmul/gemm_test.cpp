// Roofs of the matrix product library, on an emulated machine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/cuda/matmul/gemm_shape.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_cublaslt.hpp"
#include "tests/cuda/refusal.hpp"

using namespace kernels;
using tests::refusal;

namespace {

// Of side 96 by default: quick on the host.
Case product_of(Dtype dtype, Shape shape = {}) {
  return {.family = Family::peak,
          .ops = Op::gemm,
          .dtype = dtype,
          .units = Units::matrix,
          .elements = 96 * 96,
          .shape = std::move(shape)};
}

const Kernel& row_of(Device& gpu, Dtype dtype) {
  const Kernel* const row = find_kernel(gpu.kernels(), product_of(dtype));
  REQUIRE(row != nullptr);
  return *row;
}

constexpr Dtype multiplied[] = {Dtype::fp64, Dtype::fp32, Dtype::tf32, Dtype::fp16,
                                Dtype::bf16, Dtype::fp8,  Dtype::int8};

}  // namespace

TEST_CASE("the library's product verifies and is timed in every dtype and shape") {
  fake_cublaslt::install();
  {
    Emulated emulated;
    Device& gpu = emulated.gpu();
    for (const Dtype dtype : multiplied) {
      CHECK(row_of(gpu, dtype).runs);
      CHECK(row_of(gpu, dtype).note.starts_with("cuBLASLt 13.1.0, "));
      check_case(gpu, product_of(dtype));
    }
    CHECK(row_of(gpu, Dtype::int32).why_not == "cuBLASLt does not multiply int32; choose int8");
    for (const ShapeAxis& axis : gpu.shape_axes(product_of(Dtype::bf16))) {
      for (const std::string& value : axis.values) {
        if (axis.name == "algorithm rank" && std::stoi(value) > 2) continue;
        CAPTURE(value);
        check_case(gpu, product_of(Dtype::bf16, {{axis.name, value}}));
      }
    }
    CHECK(fake_cublaslt::state().open_handles == 1);
  }
  CHECK(fake_cublaslt::state().open_handles == 0);
}

TEST_CASE("a product tells its work, its shape and its algorithm, and runs the one of its rank") {
  fake_cublaslt::install();
  Emulated emulated;
  const auto trial = emulated.gpu().prepare(
      product_of(Dtype::fp16, {{"m n k", "384 48 96"}, {"algorithm rank", "2"}}), {});
  CHECK(trial->work().flops == 2.0 * 384 * 48 * 96);
  CHECK(trial->work().launches == 1);
  CHECK_FALSE(trial->cold());
  CHECK(trial->run({}).remark.find("cuBLASLt 13.1.0: 384 x 48 x 96, algorithm 3 of 3") !=
        std::string::npos);
  for (const int rank : fake_cublaslt::state().ranks) CHECK(rank == 2);
}

TEST_CASE("a verification finds a product that leaves terms out, or rounds its factors") {
  fake_cublaslt::install();
  Emulated emulated;
  fake_cublaslt::State& state = fake_cublaslt::state();
  for (const Dtype dtype : multiplied) {
    CAPTURE(name_of(dtype));
    const auto trial = emulated.gpu().prepare(product_of(dtype), {});
    CHECK(trial->verify({}).ok);
    state.skipped_terms = 16;
    CHECK(trial->verify({}).why.starts_with("row "));
    state.skipped_terms = 0;
    CHECK(trial->verify({}).ok);
  }
  // fp32 that is secretly tf32, and fp64 that is secretly fp32.
  const auto fp32 = emulated.gpu().prepare(product_of(Dtype::fp32), {});
  state.round_a = [](double a) { return round_to(Dtype::tf32, a); };
  CHECK_FALSE(fp32->verify({}).ok);
  const auto fp64 = emulated.gpu().prepare(product_of(Dtype::fp64), {});
  state.round_a = [](double a) { return round_to(Dtype::fp32, a); };
  CHECK_FALSE(fp64->verify({}).ok);
}

TEST_CASE("without the library, or with one that lacks a function, rows and refusals say so") {
  const auto why = [] {
    Emulated emulated;
    const Kernel& row = row_of(emulated.gpu(), Dtype::bf16);
    CHECK_FALSE(row.runs);
    CHECK(refusal(emulated.gpu(), product_of(Dtype::bf16)) == row.why_not);
    check_case(emulated.gpu(), {.elements = 100});
    return row.why_not;
  };
  CHECK(why() ==
        "cuBLASLt (libcublasLt.so.13 or .12) was not found; install the CUDA Toolkit, `pip install "
        "nvidia-cublas`, or name its folder in RIDGEPOINT_CUDA_LIBRARIES");
  fake_cublaslt::install("libcublasLt.so.12");
  fake_library::installed()["libcublasLt.so.12"].erase("cublasLtMatmul");
  CHECK(why() == "libcublasLt.so.12 lacks required functions; install cuBLASLt 12 or 13");
}

TEST_CASE(
    "the library is found under each of its names; of two that of the driver's version is taken") {
  for (const char* const name : {"libcublasLt.so.12", "libcublasLt.so.13"}) {
    fake_cublaslt::install(name);
    Emulated emulated;
    check_case(emulated.gpu(), product_of(Dtype::fp16));
  }
  const auto file_with = [](int driver_version) {
    fake_cublaslt::install("libcublasLt.so.12");
    fake_cublaslt::install("libcublasLt.so.13");
    Emulated emulated({.driver_version = driver_version});
    const auto& libraries = emulated.gpu().info().libraries;
    const auto found = std::ranges::find(libraries, "cuBLASLt", &LoadedLibrary::name);
    return found == libraries.end() ? "" : found->file;
  };
  CHECK(file_with(13000) == "/emulated/libcublasLt.so.13");
  CHECK(file_with(12040) == "/emulated/libcublasLt.so.12");
}

TEST_CASE("a library without a version in its name is left alone: it may be of any") {
  fake_cublaslt::install("libcublasLt.so");
  Emulated emulated;
  CHECK_FALSE(row_of(emulated.gpu(), Dtype::bf16).runs);
}

TEST_CASE("a library that refuses is quoted, and the device goes on") {
  fake_cublaslt::install();
  Emulated emulated;
  fake_cublaslt::State& state = fake_cublaslt::state();
  state.create = 1;
  CHECK(refusal(emulated.gpu(), product_of(Dtype::fp16)) ==
        "cuBLASLt 13.1.0: starting failed: an emulated status (status 1)");
  state.create = 0;
  state.heuristic = 15;
  CHECK(refusal(emulated.gpu(), product_of(Dtype::fp16)) ==
        "cuBLASLt 13.1.0 has no algorithm for this product of fp16 on this GPU (an emulated "
        "status)");
  state.heuristic = 0;
  state.algorithms = 0;
  CHECK(refusal(emulated.gpu(), product_of(Dtype::fp16)) ==
        "cuBLASLt 13.1.0 has no algorithm for this product of fp16 on this GPU");
  state.algorithms = 2;
  CHECK(refusal(emulated.gpu(), product_of(Dtype::fp16, {{"algorithm rank", "2"}})) ==
        "cuBLASLt 13.1.0 offers 2 algorithms for this product of fp16, none of rank 2");
  CHECK(refusal(emulated.gpu(), product_of(Dtype::fp16, {{"algorithm rank", "9"}}))
            .starts_with("algorithm rank of peak can be 0, 1,"));
  const auto trial = emulated.gpu().prepare(product_of(Dtype::fp16), {});
  state.matmul = 13;
  CHECK_THROWS_WITH_AS(trial->run({}),
                       "cuBLASLt 13.1.0: multiplying failed: an emulated status (status 13)",
                       Unsupported);
  state.matmul = 0;
  CHECK(trial->verify({}).ok);
  CHECK(trial->run({}).seconds > 0);
}

TEST_CASE("zeros are timed where they are asked for, and verified on numbers") {
  fake_cublaslt::install();
  Emulated emulated;
  Case c = product_of(Dtype::fp32);
  c.data = Data::zeros;
  const auto trial = emulated.gpu().prepare(c, {});
  bool zeros = true;
  fake_cublaslt::state().round_a = [&](double a) {
    zeros = zeros && a == 0;
    return a;
  };
  trial->run({});
  CHECK(zeros);
  CHECK(trial->verify({}).ok);
  CHECK_FALSE(zeros);
  zeros = true;
  trial->run({});
  CHECK(zeros);
  fake_cublaslt::state().round_a = [](double a) { return a; };
}

TEST_CASE("checked products stay within the integers that sums and results hold") {
  for (const Dtype dtype : multiplied) {
    const double most_terms = 2 * cuda::gemm_terms;
    const double a = std::ldexp(1.0, cuda::gemm_a_bits(dtype)) - 1;
    CAPTURE(name_of(dtype));
    CHECK(round_to(dtype, a) == a);
    CHECK(round_to(cuda::gemm_result(dtype), most_terms * a - 1) == most_terms * a - 1);
    if (dtype == Dtype::fp8) CHECK(most_terms * a < 1 << 13);
  }
  CHECK(cuda::gemm_density(8192) == 512);
  CHECK(cuda::gemm_density(32) == 65536);
}
