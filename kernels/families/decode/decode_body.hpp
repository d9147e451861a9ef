// What a lane of a decode launch does: a warp multiplies four rows of packed weights with each
// vector of a batch. Lane by lane its sums; the warp adds these, which is up to the caller, so that
// tests run it on the host. Plain C++.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/decode/decode.hpp"
#include "kernels/families/decode/decode_arguments.hpp"

namespace kernels::cuda {

RIDGEPOINT_BOTH inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Weights are read once: they must not drive the vectors out of the L1.
RIDGEPOINT_BOTH inline Vector load_once(const Vector* from) {
#if defined(__CUDA_ARCH__)
  const uint4 loaded = __ldcs(reinterpret_cast<const uint4*>(from));
  return {{loaded.x, loaded.y, loaded.z, loaded.w}};
#else
  return *from;
#endif
}

/// A weight of a word in fp32; of 8 and 4 bits, those become the last bits of a number whose
/// exponent gives them their value, and that number is subtracted: exact.
template <int bits>
RIDGEPOINT_BOTH inline float unpacked(std::uint32_t word, int slot) {
  if constexpr (bits == 16) {
    return float_of(slot == 0 ? word << 16 : word & 0xffff0000U);
  } else {
    constexpr int fraction = 23, bias = 127;
    const int at = slot * bits % 16;
    const std::uint32_t low = slot * bits < 16 ? word : word >> 16;
    const std::uint32_t mask = ((1U << bits) - 1) << at;
    const auto exponent = static_cast<std::uint32_t>(bias + fraction - at) << fraction;
    const float base = static_cast<float>(1U << (fraction - at)) + weight_offset(bits);
    return float_of((low & mask) | exponent) - base;
  }
}

/// Four rows times `batch` vectors.
template <int bits, int batch>
class DecodeLane {
 public:
  using Sums = float[warp_rows][batch];

  RIDGEPOINT_BOTH DecodeLane(const DecodeArguments& args, Place place)
      : args_(args),
        row_(args.first + place.block * decode_block_rows +
             place.thread / decode_lanes * warp_rows),
        lane_(place.thread % decode_lanes) {}

  /// Whether its warp has rows at all: all of them, or none.
  RIDGEPOINT_BOTH bool has_rows() const { return row_ < args_.rows; }
  RIDGEPOINT_BOTH std::uint32_t lane() const { return lane_; }

  /// What this lane adds to the results of the vectors from `entry` on.
  RIDGEPOINT_BOTH void sum(std::uint32_t entry, Sums& sums) const {
    for (int r = 0; r < warp_rows; ++r)
      for (int b = 0; b < batch; ++b) sums[r][b] = 0;
    const std::uint32_t vectors = args_.columns / vector_columns;
#pragma unroll 1
    for (std::uint32_t vector = lane_; vector < vectors; vector += decode_lanes) {
      Vector words[warp_rows];
#pragma unroll
      for (int r = 0; r < warp_rows; ++r)
        words[r] = load_once(args_.weights + (row_ + static_cast<unsigned>(r)) * vectors + vector);
      // Four words side by side are four columns side by side in each slot.
      const std::uint32_t column =
          vector / block_vectors * block_columns + vector % block_vectors * words_of_vector;
      float scales[warp_rows];
#pragma unroll
      for (int r = 0; r < warp_rows; ++r) scales[r] = scale(r, column);
      const float* x = args_.x + static_cast<std::uint64_t>(entry) * args_.columns + column;
      add(words, scales, x, sums);
    }
  }

  RIDGEPOINT_BOTH void store(std::uint32_t entry, int r, int b, float result) const {
    const std::uint64_t line = entry + static_cast<unsigned>(b);
    args_.y[line * args_.rows + row_ + static_cast<unsigned>(r)] = result;
  }

 private:
  static constexpr int slots = slots_of(bits), words_of_vector = 4;
  static constexpr std::uint32_t vector_columns = words_of_vector * slots;
  static constexpr std::uint32_t block_columns = decode_words * slots;
  static constexpr std::uint32_t block_vectors = decode_words / words_of_vector;
  /// Of few vectors all slots are unrolled, so that a slot is taken without a shift, and products
  /// are summed before they are scaled. Of many, whose sums need the registers, each slot is
  /// shifted into place, and each weight is scaled.
  static constexpr bool few = batch < 4, scales_sums = bits < 16 && few;
  static constexpr int unrolled = few ? slots : 1;

  RIDGEPOINT_BOTH float scale(int r, std::uint32_t column) const {
    if constexpr (bits == 16) return 1;
    const std::uint64_t index = (row_ + static_cast<unsigned>(r)) * args_.columns + column;
    return float_of(static_cast<std::uint32_t>(args_.scales[index / decode_group]) << 16);
  }

  RIDGEPOINT_BOTH void add(Vector (&words)[warp_rows], const float (&scales)[warp_rows],
                           const float* x, Sums& sums) const {
    if constexpr (scales_sums) {
      Sums unscaled = {};
      multiply(words, scales, x, unscaled);
#pragma unroll
      for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
        for (int b = 0; b < batch; ++b) sums[r][b] = fmaf(unscaled[r][b], scales[r], sums[r][b]);
      }
    } else {
      multiply(words, scales, x, sums);
    }
  }

  RIDGEPOINT_BOTH void multiply(Vector (&words)[warp_rows], const float (&scales)[warp_rows],
                                const float* x, Sums& sums) const {
#pragma unroll unrolled
    for (int slot = 0; slot < slots; ++slot) {
      float weight[warp_rows][words_of_vector];
#pragma unroll
      for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
        for (int i = 0; i < words_of_vector; ++i) {
          std::uint32_t& word = words[r].word[i];
          weight[r][i] = unpacked<bits>(word, few ? slot : 0);
          if constexpr (!few) word >>= bits;
          if constexpr (bits < 16 && !scales_sums) weight[r][i] *= scales[r];
        }
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const Vector of_x = *reinterpret_cast<const Vector*>(
            x + static_cast<std::uint64_t>(b) * args_.columns + slot * decode_words);
#pragma unroll
        for (int i = 0; i < words_of_vector; ++i) {
#pragma unroll
          for (int r = 0; r < warp_rows; ++r)
            sums[r][b] = fmaf(weight[r][i], float_of(of_x.word[i]), sums[r][b]);
        }
      }
    }
  }

  DecodeArguments args_;
  std::uint64_t row_;
  std::uint32_t lane_;
};

/// Every kernel: visit<bits, vectors at a time>().
template <class Visit>
void visit_decode(Visit visit) {
  const auto each_batch = [&]<int bits>() {
    visit.template operator()<bits, 1>();
    visit.template operator()<bits, 2>();
    visit.template operator()<bits, 4>();
    visit.template operator()<bits, 8>();
    visit.template operator()<bits, most_at_once>();
  };
  each_batch.template operator()<16>();
  each_batch.template operator()<8>();
  each_batch.template operator()<4>();
}

}  // namespace kernels::cuda
