// Which lane holds which element of a tile: the 16 x 64-byte tile A, B (k x 32) and D (16 x 32) of
// the `tile` family in the registers of a warp for mma.sync. Plain constexpr, so that tests prove
// the mapping on the host.
//
// The order of the k dimension is free as long as A and B agree. It is chosen so that a lane's part
// of a row of A is 16 consecutive bytes. A lane's part of a row of D is a pair of accumulators;
// four lanes fill a 32-byte sector. (Wider pieces of D need a register order that mma does not
// have: a hundred moves per repeat.)
#pragma once

#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/host_device.hpp"

namespace kernels::cuda {

/// One mma.sync instruction: m = `rows` (16 or 8), n = 8, k = 4 x `depth` words. A word is what one
/// operand register holds: 4 bytes, or a double.
struct MmaShape {
  int rows = 0;
  int depth = 0;  ///< operand registers of B
  int word_bytes = 4;

  /// Words of a row of A that one lane holds, of a 64-byte row shared by 4 lanes.
  RIDGEPOINT_BOTH constexpr int lane_words() const { return 16 / word_bytes; }
  /// Instructions along k for one tile.
  RIDGEPOINT_BOTH constexpr int steps() const { return lane_words() / depth; }
  /// Instructions along m for one tile.
  RIDGEPOINT_BOTH constexpr int parts() const { return 16 / rows; }
  RIDGEPOINT_BOTH constexpr bool native() const { return rows > 0; }
};

inline constexpr int mma_fragments = 4;                     ///< of 8 columns each, in B and D
inline constexpr int mma_accumulators = mma_fragments * 4;  ///< per lane and tile

/// Instructions that multiply one tile once.
constexpr int mma_instructions(MmaShape shape) {
  return shape.steps() * shape.parts() * mma_fragments;
}

/// Elements along k of one instruction.
constexpr int mma_depth(MmaShape shape, Dtype dtype) {
  return 4 * shape.depth * shape.word_bytes / static_cast<int>(size_of(dtype));
}

/// The instruction for a dtype on an architecture (__CUDA_ARCH__: 750, 800, ...), by PTX ISA "mma".
/// fp8 is native only on Ada and consumer Blackwell: elsewhere mma.sync on fp8 is emulated.
RIDGEPOINT_BOTH constexpr MmaShape mma_shape(Dtype dtype, int architecture) {
  const bool ampere = architecture >= 800;
  switch (dtype) {
    case Dtype::fp16:
      return {16, ampere ? 2 : 1};
    case Dtype::int8:
      return ampere ? MmaShape{16, 2} : MmaShape{8, 1};
    case Dtype::bf16:
    case Dtype::tf32:
      return ampere ? MmaShape{16, 2} : MmaShape{};
    case Dtype::fp64:
      // From Blackwell on, the larger shape is four instructions of the smaller one.
      if (architecture >= 900 && architecture < 1000) return {16, 2, 8};
      return ampere ? MmaShape{8, 1, 8} : MmaShape{};
    case Dtype::fp8:
      return architecture == 890 || architecture >= 1200 ? MmaShape{16, 2} : MmaShape{};
    default:
      return {};
  }
}

/// Types of operand registers and accumulators.
template <Dtype dtype>
struct MmaTypes {
  using Word = std::uint32_t;
  using Sum = float;
};
template <>
struct MmaTypes<Dtype::int8> {
  using Word = std::uint32_t;
  using Sum = std::int32_t;
};
template <>
struct MmaTypes<Dtype::fp64> {
  using Word = double;
  using Sum = double;
};

/// Row of A and D that a lane holds in half 0 or 1.
RIDGEPOINT_BOTH constexpr int mma_row(int lane, int half) { return lane / 4 + 8 * half; }

/// Word of a row of A, and of a column of B, that a lane holds as its `word`-th. Register j of step
/// s is word s * depth + j.
RIDGEPOINT_BOTH constexpr int mma_word(int lane, int word, MmaShape shape) {
  return lane % 4 * shape.lane_words() + word;
}

/// One of the words of A that a lane holds: `word` of the row in `half`.
struct MmaWord {
  int half;
  int word;
};

/// Operand register `index` of A for step s and part p: rows first, then k.
RIDGEPOINT_BOTH constexpr MmaWord mma_a_operand(MmaShape shape, int step, int part, int index) {
  if (shape.rows == 16) return {index % 2, step * shape.depth + index / 2};
  return {part, step * shape.depth + index};
}

/// Operand registers of A per instruction.
RIDGEPOINT_BOTH constexpr int mma_a_operands(MmaShape shape) {
  return shape.rows / 8 * shape.depth;
}

/// Column of B that a lane holds for a fragment.
RIDGEPOINT_BOTH constexpr int mma_b_column(int lane, int fragment) {
  return 8 * fragment + lane / 4;
}

/// Column of D that a lane holds for a fragment as its first (0) or second (1) of a row.
RIDGEPOINT_BOTH constexpr int mma_d_column(int lane, int fragment, int index) {
  return 8 * fragment + lane % 4 * 2 + index;
}

}  // namespace kernels::cuda
