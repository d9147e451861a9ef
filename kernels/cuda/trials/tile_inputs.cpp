#include "kernels/cuda/trials/tile_inputs.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/families/tile.hpp"

namespace kernels::cuda {
namespace {

std::uint64_t b_elements(Dtype dtype) { return tile_depth(dtype) * tile_columns; }

// Elements first.. as they lie in memory.
std::vector<unsigned char> elements(Pattern pattern, Dtype dtype, std::uint64_t seed,
                                    std::uint64_t first, std::uint64_t count) {
  const std::size_t size = size_of(dtype);
  std::vector<unsigned char> bytes(count * size);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = pattern_bits(pattern, dtype, seed, first + i);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

}  // namespace

void fill_pattern(Gpu& gpu, void* out, Dtype dtype, std::uint64_t count, std::uint64_t seed,
                  Pattern pattern) {
  constexpr int threads = 256;
  const std::uint64_t blocks = std::clamp<std::uint64_t>(
      (count + threads - 1) / threads, 1, 32ULL * static_cast<unsigned>(gpu.multiprocessors()));
  launch(pattern_function(), blocks, threads, PatternArguments{out, count, seed, dtype, pattern},
         gpu.stream());
  gpu.timer().finish();
}

TileInputs::TileInputs(Gpu& gpu, Dtype dtype, std::uint64_t a_tiles, std::uint64_t b_tiles)
    : gpu_(gpu),
      dtype_(dtype),
      a_tiles_(a_tiles),
      b_tiles_(b_tiles),
      seed_a_(gpu.next_seed()),
      seed_b_(gpu.next_seed()),
      a_(gpu.pool().take(static_cast<double>(a_tiles) * static_cast<double>(tile_rows) *
                         static_cast<double>(tile_row_bytes))),
      b_(gpu.pool().take(static_cast<double>(b_tiles) * static_cast<double>(tile_columns) *
                         static_cast<double>(tile_row_bytes))) {}

void TileInputs::fill(Data data) { fill(pattern_of(data), pattern_of(data)); }

void TileInputs::fill_exact() { fill(Pattern::unit_rows, Pattern::signs); }

void TileInputs::fill(Pattern a, Pattern b) {
  pattern_a_ = a;
  pattern_b_ = b;
  fill_pattern(gpu_, a_.data(), dtype_, a_tiles_ * tile_elements(dtype_), seed_a_, a);
  fill_pattern(gpu_, b_.data(), dtype_, b_tiles_ * b_elements(dtype_), seed_b_, b);
}

TileReference TileInputs::reference(Units units, std::uint64_t a_tile, std::uint64_t b_tile,
                                    std::uint64_t repeat) const {
  const std::uint64_t count = tile_elements(dtype_);
  const auto a = elements(pattern_a_, dtype_, seed_a_, a_tile * count, count);
  const auto b =
      elements(pattern_b_, dtype_, seed_b_, b_tile * b_elements(dtype_), b_elements(dtype_));
  return tile_reference(dtype_, units, a.data(), b.data(), repeat, nullptr);
}

double accumulator_value(Dtype dtype, const std::vector<unsigned char>& bytes, std::size_t i) {
  const std::size_t size = info_of(dtype).accumulator_size;
  const Dtype accumulator = info_of(dtype).integer ? Dtype::int32
                            : size == 8            ? Dtype::fp64
                                                   : Dtype::fp32;
  return decode(accumulator, element_bits(bytes, size, i));
}

}  // namespace kernels::cuda
