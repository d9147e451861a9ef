// The product of one tile in higher precision, and how far a result may be from it. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/device.hpp"

namespace kernels::cuda {

/// Values of A (16 x k) and B (k x 32), row major.
struct TileOperands {
  Dtype dtype;
  std::vector<double> a;
  std::vector<double> b;
};

/// One element of D = repeat x (A B), and the most that rounding after every addition can change
/// it: an accumulator grows evenly, so that n additions lose at most n / 2 last places of the final
/// sum of magnitudes. Matrix units round to 14 bits (fp8 on Ada) or truncate (other types).
/// Integers are exact.
struct TileElement {
  double value;
  double tolerance;
};
TileElement tile_element(const TileOperands&, std::uint64_t repeat, Units units, int row,
                         int column);

/// Compares D (16 x 32) of one tile.
Check tile_agrees(const TileOperands&, std::uint64_t repeat, Units units,
                  const std::vector<double>& d);

}  // namespace kernels::cuda
