// What a language model does for each new token: a matrix of weights times the vectors of a small
// batch, where the weights are packed. Without library code: included by files that are compiled
// for one instruction set, and by nvcc.
#pragma once

#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/host_device.hpp"

namespace kernels {

/// A row of weights is blocks of so many 32-bit words. A word holds 2 bf16, 4 weights of 8 bits or
/// 8 of 4 bits, the lowest bits first: its slots. Column c of a block is in word c % 16, slot c /
/// 16, so that each slot of neighbouring words is neighbouring columns for every width of vectors.
inline constexpr int decode_words = 16;
/// Weights of 8 and 4 bits in a row that share a scale: a common size of groups.
inline constexpr int decode_group = 128;
/// Rows come in multiples of this: what a thread of a CPU multiplies at a time.
inline constexpr int decode_rows = 8;
inline constexpr int most_batch = 64;

RIDGEPOINT_BOTH constexpr int slots_of(int bits) { return 32 / bits; }
/// What is subtracted from the bits of a weight of 8 or 4 bits: they are unsigned in memory.
RIDGEPOINT_BOTH constexpr int weight_offset(int bits) { return 1 << (bits - 1); }

/// Y = W X: rows x columns weights of so many bits, batch vectors.
struct DecodeSize {
  std::uint64_t rows, columns, batch;
  int bits;

  std::uint64_t weights() const { return rows * columns; }
  /// Of the packed weights.
  std::uint64_t words() const { return weights() / static_cast<std::uint64_t>(slots_of(bits)); }
  bool scaled() const { return bits < 16; }
  /// bf16, one for each group; bf16 weights have none.
  std::uint64_t scales() const { return scaled() ? weights() / decode_group : 0; }
};
/// Of a case; axes that are 0 are at their usual value.
DecodeSize decode_size(const Case&);
/// At the usual number of columns; `weights` in multiples of the family's granule.
Case decode_case(int bits, std::uint64_t batch, std::uint64_t weights);

/// What the packed weights are filled with, and the elements of that: bf16, or words.
Dtype packed_dtype(const DecodeSize&);
std::uint64_t packed_elements(const DecodeSize&);

/// The inputs by which a device answers Checkable::input().
inline constexpr std::size_t decode_weights = 0, decode_scales = 1, decode_vectors = 2;

namespace cpu {

/// A thread's share of a launch of `decode`: `rows` rows of weights from `first` on, times all
/// vectors. Pointers are those of whole tensors, 64-byte aligned; rows are multiples of
/// decode_rows.
struct DecodeSlice {
  const void* weights;          ///< packed, as above
  const std::uint16_t* scales;  ///< bf16; not read of bf16 weights
  const float* x;               ///< batch x columns
  float* y;                     ///< batch x all_rows
  std::uint64_t first, rows;
  std::uint64_t all_rows, columns, batch;
  int bits;
};
using DecodeFunction = void (*)(const DecodeSlice&);

}  // namespace cpu

}  // namespace kernels
