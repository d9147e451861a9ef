// What the host hands to the kernels: launch shapes and one struct of arguments per kernel. Plain
// C++.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dtypes.hpp"
#include "kernels/ops.hpp"

namespace kernels::cuda {

/// The widest memory access of a thread.
struct alignas(16) Vector {
  std::uint32_t word[4];
};

/// Where a thread stands in its launch.
struct Place {
  std::uint64_t block;
  std::uint32_t thread;
  std::uint32_t threads;  ///< per block
};

/// Independent 16-byte accesses in flight per thread: with 1024 threads per multiprocessor 64 KiB,
/// more than the 24-29 KiB that Little's law asks of an H200.
inline constexpr int vectors_per_thread = 4;
/// Threads per block of the stream, pointwise and vector peak kernels.
inline constexpr int block_threads = 256;

/// Vectors per thread of chains that memory bounds, and of those near the ridge and beyond it;
/// threads per block. On an H200 two vectors reach 99 to 100 % of the copy up to half the ridge and
/// 90 % at three quarters of it, where eight reach 93 to 95 % (docs/lab-notes.md, "Chains on a
/// GPU").
inline constexpr int few_vectors = 2, many_vectors = 8, chain_threads = 128;

/// Elements of a chain that a block of `vectors` per thread covers.
RIDGEPOINT_BOTH constexpr std::uint64_t chain_elements(int vectors, std::uint64_t element_bytes) {
  return static_cast<std::uint64_t>(vectors) * chain_threads * sizeof(Vector) / element_bytes;
}

/// Elements that one block covers.
constexpr std::uint64_t block_elements(std::uint64_t element_bytes) {
  return vectors_per_thread * block_threads * sizeof(Vector) / element_bytes;
}

/// Arguments of a chain launch. `a` and `b` are bit patterns of the arithmetic type, low bytes
/// first; packed pairs hold the operand twice. in and out are 16-byte aligned and do not overlap.
struct ChainArguments {
  const Vector* in;
  Vector* out;
  std::uint64_t elements;
  std::uint64_t a, b;
  std::uint32_t repeat;
};

/// Arguments of a launch of pointwise operators. `a` and `b`: bit patterns of the operands of mul
/// and add. in and out are 16-byte aligned and do not overlap. Generated kernels take the same.
struct PointwiseArguments {
  const Vector* in;
  Vector* out;
  std::uint64_t elements;
  std::uint64_t a, b;
};

/// Vectors that a thread of a generated forward or backward pass takes of each tensor: the backward
/// pass reads two or more.
inline constexpr int gradient_vectors = 2;

/// Arguments of a launch of a forward or a backward pass, which are generated. Tensors are of whole
/// vectors and 16-byte aligned.
struct GradientArguments {
  const Vector* in;        ///< of the first operator
  const Vector* gradient;  ///< of the last result, for the backward pass; can be `out`
  Vector* results;         ///< of all operators where they are kept, else of the last one
  Vector* out;             ///< gradient of the input, by the backward pass
  std::uint64_t vectors;   ///< of each tensor, in this launch
  std::uint64_t stride;    ///< vectors from one result to the next
  std::uint64_t a, b;      ///< as in PointwiseArguments
  std::uint64_t never;     ///< bits that all values of a backward pass do not have: all ones
};

/// Operators by their rows in the table of ops, a byte each, the first 8 in ops[0]: `steps` of
/// them, the first `length` again and again. An array of bytes would be copied to local memory.
struct PointwiseListArguments {
  PointwiseArguments each;
  std::uint64_t ops[2];
  std::uint32_t steps, length;
};

/// Threads per block of the rowwise kernels, and those that share a row: a warp, or four where a
/// warp could not hold it. A thread holds eight vectors, so that a warp holds 4 KiB of a row; with
/// 1024 threads per multiprocessor 128 KiB are under way. Elements of 2 bytes take twice the
/// registers once they are widened: four vectors.
inline constexpr int row_block_threads = 256;
inline constexpr int row_teams[] = {32, 128};
RIDGEPOINT_BOTH constexpr int row_vectors_for(std::size_t element_bytes) {
  return element_bytes == 2 ? 4 : 8;
}
/// Threads that share a row of so many bytes.
constexpr int row_team(std::uint64_t row_bytes, std::size_t element_bytes) {
  const auto held = static_cast<unsigned>(row_teams[0] * row_vectors_for(element_bytes));
  return row_teams[row_bytes <= held * sizeof(Vector) ? 0 : 1];
}

/// Side of the square tiles of a transpose, elements.
inline constexpr int transpose_side = 64;

/// Columns that a block sums.
inline constexpr int column_group = 64;

/// Arguments of a rowwise launch over a matrix of `rows` x `columns`; `first`: the block that is
/// the first of this launch. second: a row of a bias, or a tensor beside the first. out: a matrix,
/// its transpose, a sum for each row, or for each of `parts` of the rows a row of sums of its
/// columns: a block for each part of a group of columns, `first` the first group.
struct RowwiseArguments {
  const Vector* in;
  const Vector* second;
  void* out;
  std::uint64_t rows, columns;
  std::uint64_t first;
  std::uint64_t parts = 1;
};

/// How the operands of an op are given: two registers; from the constant bank or uniform registers;
/// or in the instruction.
enum class PeakForm : std::uint8_t { registers, uniform, immediate };

/// Operands in the instruction, fp32 and fp64: x -> 1 - a x swings about 1/2 and keeps its random
/// bits, like the operands of a chain.
inline constexpr double immediate_a = -(1 - 0x1p-12);
inline constexpr double immediate_b = 1;

/// Thread t starts its chains from the vectors of `input` that begin at t x (vectors per thread),
/// modulo `input_mask` + 1, and stores chain `pick` as arithmetic type in out[t].
struct PeakArguments {
  const Vector* input;
  const std::uint64_t* operands;  ///< bit patterns of a and b
  std::uint64_t a, b;             ///< the same, for the form `uniform`
  void* out;
  std::uint64_t first_block;
  std::uint32_t input_mask;
  std::uint32_t operand_stride = 0;  ///< always; opaque to the compiler
  std::uint32_t repeat;
  std::uint32_t pick;
};

/// Four warps per block, each on its own tiles.
inline constexpr int tile_threads = 128;
inline constexpr int tile_warps = tile_threads / 32;
/// Tiles that a warp multiplies at a time on matrix units: eight independent accumulators, where
/// the latency of mma needs four.
inline constexpr int warp_tiles = 2;

/// d[t] = repeat x (a[t] b), added to d[t] when `accumulate`. a: 16 x 64 bytes per tile, b: k x 32,
/// d: 16 x 32 accumulators per tile, all row major and 16-byte aligned.
struct TileArguments {
  const Vector* a;
  const void* b;
  void* d;
  std::uint64_t tiles;
  std::uint32_t repeat;
  bool accumulate;
  std::uint32_t zero = 0;  ///< always; opaque to the compiler
};

/// Vectors of 16 bytes per tile of A.
inline constexpr int tile_a_vectors = 16 * 64 / 16;

/// How rows lie in shared memory for wgmma. swizzled: one after the other, pieces exchanged so that
/// eight rows do not share banks (the 64-byte swizzle); plain: eight rows of one piece side by
/// side.
enum class WgmmaLayout : std::uint8_t { swizzled, plain };

/// Matrix units without memory: units (what a block multiplies at a time) of A taken from
/// `tile_mask` + 1 tiles that stay in the nearest cache. Unit u, of all launches of a run, stores
/// accumulator 0 of every thread in out[u][thread], or every accumulator i in out[u][i][thread].
struct MatrixPeakArguments {
  const Vector* a;
  const void* b;
  void* out;
  std::uint64_t first_unit, units;
  std::uint32_t tile_mask;
  std::uint32_t repeat;
  bool every = false;
  WgmmaLayout layout = WgmmaLayout::swizzled;
  std::uint32_t zero = 0;
};

/// Ops of streams that read alone, and sum what they read.
RIDGEPOINT_BOTH constexpr bool only_reads(Op op) {
  return op == Op::read || op == Op::l2 || op == Op::l2_slices || op == Op::shared;
}

/// Arguments of a stream launch on fp32 tensors, a block for each chunk: read sums the words of a,
/// write fills out with `pattern`, copy and triad go from a (and b) to out.
struct StreamArguments {
  const Vector* a = nullptr;
  const Vector* b = nullptr;
  Vector* out = nullptr;
  std::uint64_t elements = 0;
  float scalar = 0;
  std::uint32_t pattern = 0;
};

/// read: the words that warp w of block b reads are summed in sums[b * warps of a block + w].
struct ReadArguments {
  StreamArguments stream;
  std::uint32_t* sums;
};

/// Arguments of a launch that passes `repeat` times over the tensors: ring_body.hpp. Reads are
/// summed as in ReadArguments.
struct RingArguments {
  StreamArguments stream;
  std::uint32_t* sums;
  std::uint32_t repeat = 1;
  bool rotated = false;
};

/// Threads per block of ring kernels, one block per multiprocessor: of 512 to 2048 threads with 1
/// to 16 accesses in flight these, with four, come nearest to the limit of an H200's L1, L2 and
/// shared memory (docs/lab-notes.md, "Caches of a GPU").
inline constexpr int ring_threads = 1024;

/// Shared memory of a block that reads it, in vectors: 32 KiB.
inline constexpr int shared_vectors = 2048;

/// Host memory that both sides see. The host sets `release`; the kernel sets `expired` when it gave
/// up.
struct HoldFlags {
  std::uint32_t release;
  std::uint32_t expired;
};

/// Keeps a stream busy until `release`, at most `cycles` clocks: it can delay, never hang.
struct HoldArguments {
  HoldFlags* flags;
  std::uint64_t cycles;
};

/// out[i] = random_bits(dtype, seed, i).
struct FillArguments {
  void* out;
  std::uint64_t elements, seed;
  Dtype dtype;
};

/// What input tensors hold: pattern.hpp.
enum class Pattern : std::uint8_t { random, zeros, unit_rows, signs };

/// out[i] = pattern_bits(pattern, dtype, seed, i).
struct PatternArguments {
  void* out;
  std::uint64_t elements, seed;
  Dtype dtype;
  Pattern pattern;
};

/// Elements that look poisoned: all of them counted, the first that are found listed.
struct Suspects {
  static constexpr std::uint32_t most_listed = 255;
  unsigned long long count;
  unsigned long long index[most_listed];
};

/// Finds the elements of element_bytes (2, 4, 8) that have `poison` in every byte.
struct FindArguments {
  const void* data;
  std::uint64_t elements;
  Suspects* found;
  std::uint32_t element_bytes;
  std::uint8_t poison;
};

/// Adds to *sum, modulo 2^32, the words of `elements` random fp32: what `read` finds in filled
/// memory.
struct SumArguments {
  std::uint64_t elements, seed;
  std::uint32_t* sum;
};

}  // namespace kernels::cuda
