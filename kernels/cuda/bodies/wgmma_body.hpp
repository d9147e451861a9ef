// How a block brings the operands of wgmma into shared memory and registers. Plain C++, so that
// tests run it on the host, with a wgmma in software.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/bodies/wgmma_layout.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels::cuda {

/// 64 rows of A, four tiles in a row in memory, into shared memory.
RIDGEPOINT_BOTH inline void wgmma_stage_a(unsigned char* shared, const Vector* tiles,
                                          WgmmaLayout layout, int thread) {
  for (int i = thread; i < wgmma_rows * wgmma_pieces; i += wgmma_threads) {
    const int at = wgmma_offset(layout, i / wgmma_pieces, i % wgmma_pieces);
    *reinterpret_cast<Vector*>(shared + at) = tiles[i];
  }
}

/// `n` columns of B into shared memory, each as a row of 64 bytes; from n / 32 tiles of k x 32
/// elements.
template <Dtype dtype>
RIDGEPOINT_BOTH void wgmma_stage_b(unsigned char* shared, const void* b, int n, WgmmaLayout layout,
                                   int thread) {
  constexpr int size = static_cast<int>(size_of(dtype));
  constexpr int columns = static_cast<int>(tile_columns);
  constexpr int tile_bytes = static_cast<int>(tile_row_bytes) * columns;
  for (int i = thread; i < n * wgmma_pieces; i += wgmma_threads) {
    const int column = i / wgmma_pieces, piece = i % wgmma_pieces;
    const auto* from = static_cast<const unsigned char*>(b) + column / columns * tile_bytes +
                       column % columns * size;
    alignas(16) unsigned char packed[16];
#pragma unroll
    for (int e = 0; e < 16 / size; ++e) {
      const int k = piece * 16 / size + e;
      std::memcpy(packed + e * size, __builtin_assume_aligned(from + k * columns * size, size),
                  size);
    }
    std::memcpy(__builtin_assume_aligned(shared + wgmma_offset(layout, column, piece), 16), packed,
                sizeof(packed));
  }
}

/// A thread's words of the 64 rows of A, by step.
RIDGEPOINT_BOTH inline void wgmma_load_a(std::uint32_t (&words)[wgmma_steps][wgmma_a_operands],
                                         const Vector* tiles, int thread) {
  const auto* const rows = reinterpret_cast<const std::uint32_t*>(tiles);
#pragma unroll
  for (int step = 0; step < wgmma_steps; ++step) {
#pragma unroll
    for (int i = 0; i < wgmma_a_operands; ++i) {
      const WgmmaWord from = wgmma_a_operand(thread, step, i);
      words[step][i] = rows[from.row * static_cast<int>(tile_row_bytes) / 4 + from.word];
    }
  }
}

}  // namespace kernels::cuda
