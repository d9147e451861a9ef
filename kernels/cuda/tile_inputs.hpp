// Random A tiles and B on the device, and the same values on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/tile_check.hpp"

namespace kernels::cuda {

class TileInputs {
 public:
  /// Allocates and fills `tiles` tiles of A and one B. Throws Unsupported, DeviceLost.
  TileInputs(Gpu&, Dtype, std::uint64_t tiles);

  const Vector* a() const { return a_.as<const Vector>(); }
  const void* b() const { return b_.data(); }
  std::uint64_t seed() const { return seed_a_; }
  /// Values of one tile and of B.
  TileOperands operands(std::uint64_t tile) const;

 private:
  Dtype dtype_;
  std::uint64_t seed_a_;
  std::uint64_t seed_b_;
  Buffer a_;
  Buffer b_;
};

/// Accumulator i of read bytes, as a value: fp32, fp64 or int32.
double accumulator_value(Dtype, const std::vector<unsigned char>& bytes, std::size_t i);

}  // namespace kernels::cuda
