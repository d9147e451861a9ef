// The work formula of matrix products against machine code, for every architecture.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/cuda/machine_code/counters.hpp"
#include "tests/cuda/machine_code/sass.hpp"

using namespace kernels;
using namespace kernels::cuda;
using namespace sass;

namespace {

// FLOP of a block on a slice of 64 bytes along k, per thread.
int slice_flops(Dtype dtype) {
  return static_cast<int>(
      work_of(matmul_case(dtype, Units::vector, {product_tile, product_tile, 64 / size_of(dtype)},
                          Data::random))
          .flops /
      product_threads);
}

// Additions of a bias: one for each element of C that a thread has.
void check_epilogue(const cubin::Kernel& kernel, Dtype dtype) {
  const unsigned addition = dtype == Dtype::fp64 ? sass::dadd : sass::fadd;
  const int additions = count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
    return i.operation() == addition;
  });
  CHECK(additions == (dtype == Dtype::int8 ? 0 : product_tile * product_tile / product_threads));
}

}  // namespace

TEST_CASE("a product on vector units executes one FMA per product, and four products per dp4a") {
  for (const int architecture : architectures) {
    int seen = 0;
    for (const cubin::Kernel& kernel : kernels_of("matmul_vector", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_argument(kernel.name);
      // The loop goes over four pieces of a slice; of types of 16 bit, over their sixteen words.
      const int trips = size_of(dtype) == 2 ? 16 : 4;
      const int products = slice_flops(dtype) / 2 / trips;
      const unsigned operation = dtype == Dtype::int8   ? sass::idp
                                 : dtype == Dtype::fp64 ? sass::dfma
                                                        : sass::ffma;
      const std::vector<int> expected{dtype == Dtype::int8 ? products / 4 : products};
      CHECK(loop_counts(kernel, {operation}, false) == expected);
      CHECK(count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
              return i.operation() == operation;
            }) == expected[0]);
      if (dtype != Dtype::int8) {
        const Case c = matmul_case(dtype, Units::vector, {1, 1, 1}, Data::random);
        CHECK(counted_flops(kernel, tests::counters_of(c, architecture * 10), architecture) ==
              std::vector<int>{2 * products});
      }
      CHECK(loop_counts(kernel, {sass::fadd, sass::fmul, sass::dadd, sass::dmul}, false).empty());
      check_epilogue(kernel, dtype);
      ++seen;
    }
    CHECK(seen == 5 + 2 * 3);  // fp32 and fp64 in four layouts
  }
}

TEST_CASE(
    "a product on matrix units executes exactly the mma.sync of its tile, where it is native") {
  for (const int architecture : architectures) {
    int native = 0;
    for (const cubin::Kernel& kernel : kernels_of("matmul_matrix", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_argument(kernel.name);
      const MmaShape shape = mma_shape(dtype, architecture * 10);
      if (!shape.native()) {
        CHECK(loop_counts(kernel, every_mma, false).empty());
        continue;
      }
      ++native;
      // The loop goes over the steps of a slice. A warp's instruction does the FLOP of 32 threads.
      const int flops = 2 * shape.rows * 8 * mma_depth(shape, dtype) / 32;
      const std::vector<int> expected{slice_flops(dtype) / flops / shape.steps()};
      CHECK(loop_counts(kernel, {mma_operation(dtype)}, false) == expected);
      CHECK(count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
              return every_mma.contains(i.operation());
            }) == expected[0]);
      CHECK(loop_counts(kernel, float_arithmetic, false).empty());
      check_epilogue(kernel, dtype);
    }
    const bool has_fp8 = architecture == 89 || architecture == 120;
    CHECK(native == (architecture == 75 ? 2 : (has_fp8 ? 6 : 5) + 2 * 3));  // tf32, fp64
  }
}
