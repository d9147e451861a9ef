// The work formulas of tiles and matrix units against machine code, for every architecture.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/bodies/wgmma_layout.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/machine_code/counters.hpp"
#include "tests/cuda/machine_code/sass.hpp"

using namespace kernels;
using namespace kernels::cuda;
using namespace sass;

namespace {

// The tile kernel multiplies two tiles at a time, a peak kernel as many as its last argument says.
int tiles_at_a_time(const std::string& name) {
  int dtype = 0, tiles = 0;
  const std::size_t at = name.find("peak_matrix_kernel<");
  if (at == std::string::npos) return warp_tiles;
  REQUIRE(std::sscanf(name.c_str() + at, "peak_matrix_kernel<(kernels::Dtype)%d, %d>", &dtype,
                      &tiles) == 2);
  return tiles;
}

}  // namespace

TEST_CASE(
    "mma.sync executes exactly the instructions of its tiles per repeat, where it is native") {
  for (const int architecture : architectures) {
    int native = 0;
    for (const cubin::Kernel& kernel : kernels_of("tile_matrix", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_argument(kernel.name);
      const MmaShape shape = mma_shape(dtype, architecture * 10);
      if (!shape.native()) {
        CHECK(loop_counts(kernel, every_mma, false).empty());
        continue;
      }
      ++native;
      const std::vector<int> expected{tiles_at_a_time(kernel.name) * mma_instructions(shape)};
      CHECK(loop_counts(kernel, {mma_operation(dtype)}, false) == expected);
      // Once in the whole kernel, and nothing emulates it with another one or with FMAs.
      CHECK(count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
              return every_mma.contains(i.operation());
            }) == expected[0]);
      CHECK(loop_counts(kernel, float_arithmetic, false).empty());
    }
    // Five kernels for a dtype, and for fp64 four.
    const bool has_fp8 = architecture == 89 || architecture == 120;
    CHECK(native == (architecture == 75 ? 10 : has_fp8 ? 29 : 24));
  }
}

TEST_CASE(
    "a repeat of wgmma is two instructions of 32 bytes along k, and nothing else multiplies") {
  const std::vector<cubin::Kernel> kernels = cubin::read(path_of("wgmma", "90a"), 90);
  for (const cubin::Kernel& kernel : kernels) {
    CAPTURE(kernel.name);
    const Dtype dtype = dtype_argument(kernel.name);
    const unsigned operation = dtype == Dtype::int8  ? sass::igmma
                               : dtype == Dtype::fp8 ? sass::qgmma
                                                     : sass::hgmma;
    CHECK(loop_counts(kernel, {operation}, false) == std::vector<int>{wgmma_steps});
    const Operations every{sass::hgmma, sass::igmma, sass::qgmma,
                           sass::hmma,  sass::imma,  sass::qmma};
    CHECK(count(kernel, everything(kernel), [&](const cubin::Instruction& i) {
            return every.contains(i.operation());
          }) == wgmma_steps);
    CHECK(loop_counts(kernel, float_arithmetic, false).empty());
  }
  CHECK(kernels.size() == 5 * 4 * 2);
}

TEST_CASE("a vector tile executes one FMA per product, and four products per dp4a") {
  for (const int architecture : architectures) {
    int kernels_seen = 0;
    for (const cubin::Kernel& kernel : kernels_of("tile_vector", architecture)) {
      CAPTURE(architecture);
      CAPTURE(kernel.name);
      const Dtype dtype = dtype_argument(kernel.name);
      const unsigned operation = dtype == Dtype::int8   ? sass::idp
                                 : dtype == Dtype::fp64 ? sass::dfma
                                                        : sass::ffma;
      // 16 accumulators per lane, times the depth of the tile.
      const int products =
          16 * static_cast<int>(tile_depth(dtype)) / (dtype == Dtype::int8 ? 4 : 1);
      CHECK(loop_counts(kernel, {operation}, false) == std::vector<int>{products});
      const Case c{.family = Family::tile, .ops = Op::mma, .dtype = dtype};
      if (dtype != Dtype::int8) {
        CHECK(counted_flops(kernel, tests::counters_of(c, architecture * 10), architecture) ==
              std::vector<int>{2 * products});
      }
      CHECK(loop_counts(kernel, {sass::fadd, sass::fmul, sass::dadd, sass::dmul}, false).empty());
      ++kernels_seen;
    }
    CHECK(kernels_seen == 5);
  }
}
