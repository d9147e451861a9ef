// Every kernel of ours at small sizes: few threads, odd ends, each value of each axis of a shape.
// On a GPU scripts/gpu-check.sh runs them under compute-sanitizer, so they are quick and leave out
// the libraries' kernels; without one they run on the emulated runtime.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "kernels/families/decode/decode.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/families/rowwise/rowwise.hpp"
#include "kernels/families/tile/tile.hpp"

namespace small_sizes {

using namespace kernels;

inline void verify(Device& gpu, const Case& c) {
  CAPTURE(describe(c));
  try {
    const Check check = gpu.prepare(c, {})->verify({});
    CHECK_MESSAGE(check.ok, check.why);
  } catch (const Unsupported& error) {  // a combination of shapes that doesn't exist, or no NVRTC
    CHECK_MESSAGE((!c.shape.empty() || c.by == By::generated), std::string(error.what()));
  }
}

inline Case case_of(const Kernel& row) {
  return {.family = row.family, .ops = row.op, .dtype = row.dtype, .units = row.units};
}

inline std::uint64_t elements_of(const Kernel& row) {
  if (row.family == Family::launch) return 0;
  if (row.op == Op::mma || row.op == Op::mma_sync) return 9 * tile_elements(row.dtype);
  const bool in_granules = row.family == Family::divergence || row.family == Family::strided ||
                           row.family == Family::banks || row.family == Family::eager;
  return in_granules ? 33 * granule_of(row.family, row.dtype) : 4099;
}

inline void verify_every_shape(Device& gpu, Case c) {
  for (const ShapeAxis& axis : gpu.shape_axes(c)) {
    for (const std::string& value : axis.values) {
      c.shape = {{axis.name, value}};
      verify(gpu, c);
    }
  }
}

inline bool is_of_operators(Family family) {
  return family == Family::pointwise || family == Family::rowwise;
}

/// Whether its kernels use shared memory, so that their threads could race there.
/// cuda_instructions_test names these kernels.
inline bool shares_memory(const Kernel& row) {
  const bool by_wgmma = row.family == Family::peak && row.op == Op::mma;
  return row.family == Family::chain || row.family == Family::tile ||
         row.family == Family::matmul || row.family == Family::rowwise || row.op == Op::shared ||
         by_wgmma;
}

/// Chains, tiles, streams, peaks, branches and launches; those that share memory, or the others.
inline void verify_roofs_and_workloads(Device& gpu, bool sharing) {
  for (const Kernel& row : gpu.kernels()) {
    if (!row.runs || row.by != By::own || row.op == Op::gemm || row.family == Family::matmul)
      continue;
    if (is_of_operators(row.family) || row.family == Family::decode) continue;
    if (shares_memory(row) != sharing) continue;
    Case c = case_of(row);
    c.elements = elements_of(row);
    c.repeat = 3;
    verify(gpu, c);
    // Before, at and beyond the ridge.
    for (const std::uint64_t ops : {48, 96}) {
      if (row.family == Family::chain) verify(gpu, with(c, "repeat", ops));
    }
    if (row.family == Family::chain || row.family == Family::tile) {
      c.fusion = Fusion::unfused;
      verify(gpu, c);
    }
    verify_every_shape(gpu, c);
    if (row.family == Family::stream) {  // of one pass, by other kernels
      c.repeat = 1;
      verify_every_shape(gpu, c);
    }
  }
}

inline void verify_products(Device& gpu) {
  for (const Kernel& row : gpu.kernels()) {
    if (row.family != Family::matmul || row.by != By::own || !row.runs) continue;
    // One element; and two blocks each way with edges, whose lines are of several slices.
    for (const MatmulSize size : {MatmulSize{1, 16, 1}, MatmulSize{129, 144, 77}})
      verify(gpu, with_size(case_of(row), size));
    // Batches, whose matrices lie as the case says.
    for (const Transposed transposed :
         {Transposed::none, Transposed::a, Transposed::b, Transposed::both}) {
      if (size_of(row.dtype) >= 4 || transposed == Transposed::b)
        verify(gpu, with_size(case_of(row), {129, 144, 77, 2, transposed}));
    }
  }
}

/// Packed weights of every width, and as many vectors at a time as there is a kernel for; rows of
/// which a warp has some columns, and of which it has several steps.
inline void verify_packed_weights(Device& gpu) {
  for (const int bits : {16, 8, 4}) {
    for (const std::uint64_t batch : {1, 2, 4, 8, 16}) {
      for (const std::uint64_t columns : {128, 4096})
        verify(gpu, with(decode_case(bits, batch, 32768), "columns", columns));
    }
  }
}

inline void verify_operators_on_rows(Device& gpu) {
  for (const Kernel& row : gpu.kernels()) {
    if (!row.runs || row.by != By::own || row.family != Family::rowwise) continue;
    // Rows of a warp, of four warps, and beyond what these hold in registers.
    constexpr std::uint64_t rows = 64;
    for (const std::uint64_t columns : {192, 2048, 8256})
      verify(gpu, with(with(case_of(row), "elements", rows * columns), "columns", columns));
    // Sums of columns of several parts, which a second launch sums.
    if (is_on_columns(row.op))
      verify(gpu, with(with(case_of(row), "elements", 512 * 192), "columns", 192));
  }
}

/// Alone and in chains.
inline void verify_pointwise_operators(Device& gpu) {
  for (const Kernel& row : gpu.kernels()) {
    if (!row.runs || row.by != By::own || row.family != Family::pointwise) continue;
    verify(gpu, with(case_of(row), "elements", 4099));
  }
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
    Case c{.family = Family::pointwise,
           .ops = {Op::relu, Op::mul, Op::gelu},
           .dtype = dtype,
           .elements = 4099};
    verify(gpu, c);
    c.by = By::generated;
    verify(gpu, c);
    c.elements = 64 * 65;
    for (const Activations how : {Activations::kept, Activations::recomputed})
      verify(gpu, with_activations(c, how));
    c.fusion = Fusion::unfused;
    verify(gpu, with_activations(c, Activations::kept));
  }
}

}  // namespace small_sizes
