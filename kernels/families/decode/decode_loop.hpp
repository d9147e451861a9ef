// The loops behind the rows of `decode`: packed weights are unpacked in registers and multiplied
// with each vector of a batch. See op_loop.hpp for the rules and decode.hpp for where weights lie.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/decode/decode.hpp"

namespace kernels::cpu {
namespace {

/// Columns of all vectors of a block of the batch that are read again for every row: 16 KiB, which
/// every L1 holds beside the weights.
inline constexpr int decode_columns = 4096;
/// Bytes of its row that batch 1 asks for ahead: of 256 and 512 the faster in bf16 on a Sapphire
/// Rapids.
inline constexpr int decode_ahead = 512;

/// How weights of so many bits become fp32.
template <class Simd, int bits>
struct Unpacked {
  using Vector = typename Simd::Vector;
  using Words [[gnu::vector_size(sizeof(Vector))]] = std::uint32_t;
  static constexpr int slots = slots_of(bits);

  [[gnu::always_inline]] static Words load(const std::uint32_t* from) {
    Words words;
    __builtin_memcpy(&words, from, sizeof words);
    return words;
  }

  /// bf16 is the upper half of an fp32. A smaller weight becomes the last bits of a number whose
  /// exponent gives these bits their value, from which that number is subtracted: exact, and
  /// without a conversion.
  [[gnu::always_inline]] static Vector slot(Words words, int slot) {
    if constexpr (bits == 16) {
      return __builtin_bit_cast(Vector, slot == 0 ? words << 16 : words & 0xffff0000U);
    } else {
      constexpr int fraction = 23, bias = 127;
      const int at = slot * bits % 16;
      const std::uint32_t mask = ((1U << bits) - 1) << at;
      const auto exponent = static_cast<std::uint32_t>(bias + fraction - at) << fraction;
      const float base = static_cast<float>(1U << (fraction - at)) + weight_offset(bits);
      const Words low = slot * bits < 16 ? words : words >> 16;
      return Simd::add(__builtin_bit_cast(Vector, (low & mask) | exponent), Simd::set(-base));
    }
  }
};

/// A block of rows times `batch` vectors.
template <class Simd, int bits, int batch>
struct DecodeTile {
  using Vector = typename Simd::Vector;
  using Weights = Unpacked<Simd, bits>;
  static constexpr int slots = Weights::slots, block_columns = decode_words * slots;
  /// Half of the registers are sums; four rows hide the latency of fma.
  static constexpr int fitting = Simd::registers / 2 / batch;
  static constexpr int rows = fitting > 4 ? 4 : fitting;
  static_assert(decode_rows % rows == 0 && decode_columns / batch % decode_group == 0);

  /// Of few vectors each slot is taken where it is, without a shift. Of many, whose sums need the
  /// registers, it is shifted into place: one mask is enough.
  static constexpr bool few = batch < 4;

  /// Where the rows of a tile begin.
  struct Rows {
    const std::uint32_t* words[rows];
    const std::uint16_t* scales[rows];
  };

  static const std::uint32_t* words_of(const DecodeSlice& slice, std::uint64_t row) {
    return static_cast<const std::uint32_t*>(slice.weights) + row * slice.columns / slots;
  }

  /// A group of columns of some rows; `x` is where the group begins in the first vector.
  [[gnu::always_inline]] static void add_group(const Rows& at, const float* x,
                                               std::uint64_t columns, Vector (&sum)[rows][batch]) {
    for (int block = 0; block < decode_group / block_columns; ++block) {
#pragma GCC unroll 4
      for (int first = 0; first < decode_words; first += Simd::lanes) {
        typename Weights::Words words[rows];
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r)
          words[r] = Weights::load(at.words[r] + block * decode_words + first);
#pragma GCC unroll 8
        for (int slot = 0; slot < slots; ++slot) {
          const float* column = x + block * block_columns + slot * decode_words + first;
          Vector weight[rows];
#pragma GCC unroll 4
          for (int r = 0; r < rows; ++r) {
            weight[r] = Weights::slot(words[r], few ? slot : 0);
            if (!few) words[r] >>= bits;
          }
#pragma GCC unroll 8
          for (int b = 0; b < batch; ++b) {
            const Vector of_x = Simd::load(column + static_cast<std::uint64_t>(b) * columns);
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) Simd::accumulate(sum[r][b], weight[r], of_x);
          }
        }
      }
    }
  }

  /// Groups of columns of `rows` rows from `row` on. `ahead`: what to prefetch meanwhile, as many
  /// bytes as are read here; null: nothing.
  [[gnu::noinline]] static void add(const DecodeSlice& slice, std::uint64_t row,
                                    std::uint64_t entry, std::uint64_t column, std::uint64_t groups,
                                    const char* ahead, Vector (*total)[batch]) {
    Rows at;
    for (int r = 0; r < rows; ++r) {
      const std::uint64_t mine = row + static_cast<std::uint64_t>(r);
      at.words[r] = words_of(slice, mine) + column / slots;
      if constexpr (bits < 16)
        at.scales[r] = slice.scales + (mine * slice.columns + column) / decode_group;
    }
    const float* x = slice.x + entry * slice.columns + column;
    for (; groups != 0; --groups, x += decode_group) {
      constexpr std::size_t bytes = rows * decode_group * bits / 8;
      for (std::size_t line = 0; ahead != nullptr && line < bytes; line += 64)
        __builtin_prefetch(ahead + line, 0, 2);
      if constexpr (batch == 1) {  // where there is little else to do, also from the L2 to the L1
        for (int r = 0; r < rows; ++r) {
          const auto* own = reinterpret_cast<const char*>(at.words[r]) + decode_ahead;
          for (std::size_t line = 0; line < bytes / rows; line += 64)
            __builtin_prefetch(own + line);
        }
      }
      if (ahead != nullptr) ahead += bytes;
      Vector sum[rows][batch] = {};
      add_group(at, x, slice.columns, sum);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        at.words[r] += decode_group / slots;
        Vector scale = Simd::set(1);
        if constexpr (bits < 16) scale = scale_of(at.scales[r]++);
#pragma GCC unroll 8
        for (int b = 0; b < batch; ++b)
          total[r][b] = bits == 16 ? Simd::add(total[r][b], sum[r][b])
                                   : Simd::fma(sum[r][b], scale, total[r][b]);
      }
    }
  }

  static Vector scale_of(const std::uint16_t* scale) {
    return Simd::set(__builtin_bit_cast(float, static_cast<std::uint32_t>(*scale) << 16));
  }

  static float sum_of(Vector lanes) {
    float lane[Simd::lanes], sum = 0;
    Simd::store(lane, lanes);
    for (int i = 0; i < Simd::lanes; ++i) sum += lane[i];
    return sum;
  }

  /// decode_rows rows from `row` on, and `batch` vectors from `entry` on. Meanwhile the rows behind
  /// these come into the L2: the order in which rows are read is none that a processor foresees.
  static void run(const DecodeSlice& slice, std::uint64_t row, std::uint64_t entry) {
    Vector total[decode_rows][batch] = {};
    const bool first = entry == 0;
    const auto* ahead = reinterpret_cast<const char*>(words_of(slice, row + decode_rows));
    constexpr std::uint64_t piece = decode_columns / batch;
    for (std::uint64_t column = 0; column < slice.columns; column += piece) {
      const std::uint64_t left = slice.columns - column, count = left < piece ? left : piece;
      for (int r = 0; r < decode_rows; r += rows) {
        add(slice, row + static_cast<std::uint64_t>(r), entry, column, count / decode_group,
            first ? ahead : nullptr, &total[r]);
        ahead += static_cast<std::uint64_t>(rows) * count * bits / 8;
      }
    }
    for (int r = 0; r < decode_rows; ++r) {
      for (int b = 0; b < batch; ++b) {
        const std::uint64_t line = entry + static_cast<std::uint64_t>(b);
        slice.y[line * slice.all_rows + row + static_cast<std::uint64_t>(r)] = sum_of(total[r][b]);
      }
    }
  }
};

template <class Simd, int bits, int batch>
void decode_all(const DecodeSlice& slice) {
  for (std::uint64_t row = slice.first; row < slice.first + slice.rows; row += decode_rows) {
    for (std::uint64_t entry = 0; entry < slice.batch; entry += batch)
      DecodeTile<Simd, bits, batch>::run(slice, row, entry);
  }
}

template <class Simd, int bits>
void decode_batch(const DecodeSlice& slice) {
  // Beside these sums, constants and weights have to be in registers.
  if constexpr (Simd::registers >= 32) {
    if (slice.batch >= 8) return decode_all<Simd, bits, 8>(slice);
  }
  if (slice.batch >= 4) return decode_all<Simd, bits, 4>(slice);
  if (slice.batch >= 2) return decode_all<Simd, bits, 2>(slice);
  decode_all<Simd, bits, 1>(slice);
}

/// A DecodeFunction.
template <class Simd>
void decode_slice(const DecodeSlice& slice) {
  if (slice.bits == 16) return decode_batch<Simd, 16>(slice);
  if (slice.bits == 8) return decode_batch<Simd, 8>(slice);
  decode_batch<Simd, 4>(slice);
}

template <class Simd>
constexpr DecodeFunction decode_function = decode_slice<Simd>;

template <class Registers>
consteval void add_decode(Rows& rows) {
  rows.add(
      {.family = Family::decode, .op = Op::fma, .own = &decode_function<typename Registers::Fp32>});
}

}  // namespace
}  // namespace kernels::cpu
