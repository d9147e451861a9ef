// Tiles of A and B on the device, and the same bytes on the host; how a product of them is checked.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/bodies/pattern.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/families/tile_reference.hpp"

namespace kernels::cuda {

/// Fills device memory with elements of a pattern.
void fill_pattern(Gpu&, void* out, Dtype, std::uint64_t count, std::uint64_t seed, Pattern);

class TileInputs {
 public:
  /// Allocates `a_tiles` tiles of A and `b_tiles` of B. Throws Unsupported, DeviceLost.
  TileInputs(Gpu&, Dtype, std::uint64_t a_tiles, std::uint64_t b_tiles);

  /// Fills both with what a case asks for: random elements, or zeros.
  void fill(Data);
  /// Fills them so that every product is exact, however often it is repeated.
  void fill_exact();

  const Vector* a() const { return a_.as<const Vector>(); }
  const void* b() const { return b_.data(); }
  std::uint64_t seed() const { return seed_a_; }

  /// D of two tiles: `repeat` times their product. On exact inputs nothing else is right.
  TileReference reference(Units, std::uint64_t a_tile, std::uint64_t b_tile,
                          std::uint64_t repeat) const;

 private:
  void fill(Pattern a, Pattern b);

  Gpu& gpu_;
  Dtype dtype_;
  std::uint64_t a_tiles_, b_tiles_;
  std::uint64_t seed_a_, seed_b_;
  Pattern pattern_a_ = Pattern::random, pattern_b_ = Pattern::random;
  Buffer a_;
  Buffer b_;
};

/// Accumulator i of read bytes, as a value: fp32, fp64 or int32.
double accumulator_value(Dtype, const std::vector<unsigned char>& bytes, std::size_t i);

}  // namespace kernels::cuda
