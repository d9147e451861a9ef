// The loops behind the rows of `conv`: direct convolutions whose register blocks hold vectors of
// pixels or of filters, and a product of the weights and of the pixels below each tap. See
// op_loop.hpp for the rules and tile_loop.hpp for what is asked of a Simd policy.
#pragma once

#include <cstdint>

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/conv/conv.hpp"
#include "kernels/families/matmul/matmul_loop.hpp"

namespace kernels::cpu {
namespace {

/// Channels that are summed before the next ones are looked at: three rows of 64 pixels of them are
/// 25 KiB, inside of every L1.
inline constexpr std::uint64_t channels_together = 32;
/// Rows of an image that are one part of the work: with those around them, copied once.
inline constexpr std::uint64_t rows_together = 8;

/// What lies side by side in the lanes of a register.
enum class ConvLanes : std::uint8_t { pixels, filters };

/// Sums of `count` filters at `vectors` vectors of pixels stay in registers, or of `count` pixels
/// for vectors of filters.
template <class Simd, ConvLanes side, int count, int vectors>
struct DirectConv {
  static constexpr bool of_pixels = side == ConvLanes::pixels;
  static constexpr int wide = vectors * Simd::lanes;
  static constexpr int block_pixels = of_pixels ? wide : count;
  static constexpr int block_filters = of_pixels ? count : wide;

  // Rows as they are copied: a zero, the pixels, and zeros up to a whole block and one more.
  static std::uint64_t row_floats(std::uint64_t size) {
    return rounded_up(rounded_up(size, block_pixels) + 2, 16);
  }
  static std::uint64_t plane_floats(std::uint64_t size) {
    return (rows_together + 2) * row_floats(size);
  }
  static std::uint64_t room(std::uint64_t size) { return channels_together * plane_floats(size); }
  static std::uint64_t parts(std::uint64_t size) {
    return (size + rows_together - 1) / rows_together;
  }
  static std::uint64_t packed(std::uint64_t channels, std::uint64_t filters) {
    return rounded_up(filters, block_filters) * channels * conv_taps;
  }

  /// By blocks of filters, in them by channels, taps and filters.
  static void pack(const ConvWeights& all) {
    float* to = all.packed;
    for (std::uint64_t first = 0; first < all.filters; first += block_filters) {
      for (std::uint64_t at = 0; at < all.channels * conv_taps; ++at) {
        for (std::uint64_t filter = first; filter < first + block_filters; ++filter)
          *to++ = filter < all.filters ? all.weights[filter * all.channels * conv_taps + at] : 0;
      }
    }
  }

  /// The rows of some channels from the one above `row` on, with zeros around the image.
  static void copy(const ConvSlice& slice, const float* planes, std::uint64_t channels,
                   std::uint64_t row, std::uint64_t rows) {
    const std::uint64_t size = slice.size, length = row_floats(size);
    for (std::uint64_t channel = 0; channel < channels; ++channel) {
      float* to = slice.room + channel * plane_floats(size);
      for (std::uint64_t i = row; i < row + rows + 2; ++i, to += length) {
        const bool inside = i >= 1 && i <= size;
        const float* from = planes + (channel * size + (inside ? i - 1 : 0)) * size;
        to[0] = 0;
        if (inside) DirectFactors<float>::copy_a(to + 1, from, static_cast<int>(size));
        for (std::uint64_t j = inside ? size + 1 : 1; j < length; ++j) to[j] = 0;
      }
    }
  }

  /// One block of the output over some channels.
  struct Block {
    const float* in;                                // the pixel above and left of its first one
    const float* weights;                           // of its filters
    float* out;                                     // its first pixel of its first filter
    std::uint64_t channels, row, plane, out_plane;  // floats from one to the next
    std::uint64_t pixels, filters;                  // inside of the output
    bool first;                                     // there is no sum yet
  };

  /// Sums in the order of registers, from or to their places in the output.
  template <class Move>
  [[gnu::always_inline]] static inline void each(const Block& block, float* sums, Move move) {
    for (std::uint64_t filter = 0; filter < block.filters; ++filter) {
      for (std::uint64_t pixel = 0; pixel < block.pixels; ++pixel)
        move(sums[of_pixels ? filter * wide + pixel : pixel * wide + filter],
             block.out[filter * block.out_plane + pixel]);
    }
  }

  /// sum[i][v] += once[i] vector[v]
  [[gnu::always_inline]] static inline void step(typename Simd::Vector (&sum)[count][vectors],
                                                 const float* once, const float* vector) {
    typename Simd::Vector side_by_side[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) side_by_side[v] = Simd::load(vector + v * Simd::lanes);
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
      const auto factor = Simd::set(once[i]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        if constexpr (Simd::fma_is_apart) {
          sum[i][v] = Simd::add(sum[i][v], Simd::mul(factor, side_by_side[v]));
        } else {
          Simd::accumulate(sum[i][v], factor, side_by_side[v]);
        }
      }
    }
  }

  [[gnu::noinline]] static void compute(const Block& block) {
    typename Simd::Vector sum[count][vectors];
    const bool whole = of_pixels && block.pixels == block_pixels && block.filters == block_filters;
    float kept[count * wide] = {};
    float* const at = whole ? block.out : kept;
    const std::uint64_t apart = whole ? block.out_plane : wide;
    if (!block.first && !whole)
      each(block, kept, [](float& sum_so_far, float& out) { sum_so_far = out; });
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        sum[i][v] = typename Simd::Vector{};
        if (!block.first) sum[i][v] = Simd::load(at + std::uint64_t(i) * apart + v * Simd::lanes);
      }
    }
    const float* weights = block.weights;
    for (std::uint64_t channel = 0; channel < block.channels; ++channel) {
      const float* in = block.in + channel * block.plane;
      for (int row = 0; row < static_cast<int>(conv_edge); ++row, in += block.row) {
#pragma GCC unroll 3
        for (int column = 0; column < static_cast<int>(conv_edge); ++column) {
          step(sum, of_pixels ? weights : in + column, of_pixels ? in + column : weights);
          weights += block_filters;
        }
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v)
        Simd::store(at + std::uint64_t(i) * apart + v * Simd::lanes, sum[i][v]);
    }
    if (!whole) each(block, kept, [](float& sum_so_far, float& out) { out = sum_so_far; });
  }

  /// Some rows of one image over some channels that are copied. What is loaded in vectors stays in
  /// L1: weights of a block of filters, or pixels of a block.
  static void rows(const ConvSlice& slice, float* out, std::uint64_t first, std::uint64_t channels,
                   std::uint64_t height) {
    const std::uint64_t size = slice.size, length = row_floats(size);
    const std::uint64_t plane = size * size;
    const auto one = [&](std::uint64_t y, std::uint64_t x, std::uint64_t filter) {
      compute({slice.room + y * length + x,
               slice.packed + (filter * slice.channels + first * block_filters) * conv_taps,
               out + filter * plane + y * size + x, channels, length, plane_floats(size), plane,
               lesser(block_pixels, size - x), lesser(block_filters, slice.filters - filter),
               first == 0});
    };
    for (std::uint64_t outer = 0; outer < (of_pixels ? 1 : slice.filters); outer += block_filters) {
      for (std::uint64_t y = 0; y < height; ++y) {
        for (std::uint64_t x = 0; x < size; x += block_pixels) {
          if constexpr (of_pixels) {
            for (std::uint64_t filter = 0; filter < slice.filters; filter += block_filters)
              one(y, x, filter);
          } else {
            one(y, x, outer);
          }
        }
      }
    }
  }

  static void run(const ConvSlice& slice) {
    const std::uint64_t size = slice.size, of_image = parts(size);
    for (std::uint64_t part = slice.first; part < slice.first + slice.parts; ++part) {
      const std::uint64_t image = part / of_image, row = part % of_image * rows_together;
      const std::uint64_t height = lesser(rows_together, size - row);
      float* out = slice.out + (image * slice.filters * size + row) * size;
      for (std::uint64_t first = 0; first < slice.channels; first += channels_together) {
        const std::uint64_t channels = lesser(channels_together, slice.channels - first);
        copy(slice, slice.in + (image * slice.channels + first) * size * size, channels, row,
             height);
        rows(slice, out, first, channels, height);
      }
    }
  }

  static constexpr ConvVariant variant(const char* name) {
    constexpr int held = count * vectors + vectors + 1;
    return {name,  pack,    run,          parts,        packed, room, held <= Simd::registers,
            count, vectors, block_pixels, block_filters};
  }
};

/// The weights (filters x 9 channels) times the pixels below each tap (9 channels x pixels), of
/// which each thread makes 64 columns at a time. The product is that of matmul_loop.hpp.
template <class Simd>
struct Im2colConv {
  using Product = Matmul<Simd, DirectFactors<float>>;
  static constexpr std::uint64_t block_k = Product::block_k;

  static std::uint64_t tiles(std::uint64_t length) { return (length + tile_edge - 1) / tile_edge; }
  static std::uint64_t parts(std::uint64_t size) { return tiles(size * size); }
  static std::uint64_t packed(std::uint64_t channels, std::uint64_t filters) {
    const std::uint64_t blocks = (channels * conv_taps + block_k - 1) / block_k;
    return blocks * tiles(filters) * Product::block_bytes / sizeof(float);
  }
  static std::uint64_t room(std::uint64_t) { return Product::room_bytes / sizeof(float); }

  static void pack(const ConvWeights& all) {
    Product::pack(
        {all.weights, all.packed, all.filters, all.channels * conv_taps, 0, tiles(all.filters)});
  }

  /// What lies below one tap of one channel at `count` pixels from `first` on.
  static void take(const float* plane, std::uint64_t size, int tap, std::uint64_t first, int count,
                   float* to) {
    const auto edge = static_cast<int>(conv_edge), width = static_cast<int>(size);
    const int up = tap / edge - 1, left = tap % edge - 1;
    for (int done = 0; done < count;) {
      const std::uint64_t at = first + std::uint64_t(done);
      const int y = static_cast<int>(at / size) + up, x = static_cast<int>(at % size);
      const int run = count - done < width - x ? count - done : width - x;
      const bool inside = y >= 0 && y < width;
      const float* row = plane + std::int64_t{inside ? y : 0} * width;
      for (int i = 0; i < run; ++i) {
        const int column = x + i + left;
        to[done + i] = inside && column >= 0 && column < width ? row[column] : 0;
      }
      done += run;
    }
    for (int i = count; i < tile_edge; ++i) to[i] = 0;
  }

  static void pack_pixels(const float* image, std::uint64_t size, std::uint64_t first,
                          std::uint64_t k, std::uint64_t all_k, int groups, float* to) {
    const int count = static_cast<int>(lesser(tile_edge, size * size - first));
    for (int g = 0; g < groups; ++g) {
      float line[tile_edge] = {};
      const std::uint64_t at = k + std::uint64_t(g);
      if (at < all_k)
        take(image + at / conv_taps * size * size, size, static_cast<int>(at % conv_taps), first,
             count, line);
      for (int panel = 0; panel < Product::panels; ++panel)
        DirectFactors<float>::copy_a(to + panel * Product::panel_operands + g * Product::width,
                                     line + panel * Product::width, Product::width);
    }
  }

  static void run(const ConvSlice& slice) {
    const std::uint64_t pixels = slice.size * slice.size, k = slice.channels * conv_taps;
    const std::uint64_t of_image = parts(slice.size), all_rows = tiles(slice.filters);
    const typename Product::Room room(slice.room);
    for (std::uint64_t part = slice.first; part < slice.first + slice.parts; ++part) {
      const std::uint64_t image = part / of_image, column = part % of_image * tile_edge;
      const float* in = slice.in + image * slice.channels * pixels;
      const MatmulSlice product{slice.packed,
                                nullptr,
                                slice.out + image * slice.filters * pixels,
                                nullptr,
                                slice.filters,
                                pixels,
                                k,
                                0,
                                0,
                                false};
      for (std::uint64_t row = 0; row < all_rows; row += band_tiles) {
        const std::uint64_t run = lesser(band_tiles, all_rows - row);
        for (std::uint64_t first = 0; first < k; first += block_k) {
          const int groups = Product::groups_of(k - first);
          pack_pixels(in, slice.size, column, first, k, groups, room.b);
          for (std::uint64_t i = 0; i < run; ++i) {
            const float* a = slice.packed + (first / block_k * all_rows + row + i) *
                                                Product::block_bytes / sizeof(float);
            Product::tile(
                product, room, a, room.sums + i * Product::sums_of_tile,
                {(row + i) * tile_edge, column, groups, first == 0, first + block_k >= k});
          }
        }
      }
    }
  }

  static constexpr ConvVariant variant(const char* name) {
    return {name, pack, run, parts, packed, room};
  }
};

/// In the order of conv_algorithms.
template <class Simd>
struct ConvTable {
  template <int count, int vectors>
  using Pixels = DirectConv<Simd, ConvLanes::pixels, count, vectors>;
  template <int count, int vectors>
  using Filters = DirectConv<Simd, ConvLanes::filters, count, vectors>;

  static constexpr ConvVariant list[] = {
      Pixels<8, 1>::variant("pixels 8x1"),   Pixels<6, 2>::variant("pixels 6x2"),
      Pixels<8, 2>::variant("pixels 8x2"),   Pixels<12, 2>::variant("pixels 12x2"),
      Pixels<4, 4>::variant("pixels 4x4"),   Pixels<6, 4>::variant("pixels 6x4"),
      Filters<6, 2>::variant("filters 6x2"), Filters<12, 2>::variant("filters 12x2"),
      Filters<6, 4>::variant("filters 6x4"), Im2colConv<Simd>::variant("im2col"),
  };
  static_assert(sizeof list / sizeof *list == conv_algorithms.size());

  static consteval ConvKernels all() { return {list, conv_algorithms.size()}; }
};

template <class Simd>
constexpr ConvKernels conv_kernels = ConvTable<Simd>::all();

template <class Registers>
consteval void add_conv(Rows& rows) {
  rows.add({.family = Family::conv, .op = Op::mma, .own = &conv_kernels<typename Registers::Fp32>});
}

}  // namespace
}  // namespace kernels::cpu
