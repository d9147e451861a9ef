// What a `tile` kernel must compute: one D tile in double precision, and how far from it rounding
// may lead. Host code without any device; every backend verifies with it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/case.hpp"
#include "kernels/device.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels {

/// The largest relative error of one addition to a sum of products: half a unit in the last place
/// of the accumulator, and on matrix units, which may truncate, a whole one (fp8: of a 14-bit
/// accumulator, Hopper's).
double unit_roundoff(Dtype, Units);

/// D (16 x 32, row major) and the largest rounding error of each element; 0 = exact (int8, whose
/// sums wrap in int32).
struct TileReference {
  std::array<double, tile_rows * tile_columns> value;
  std::array<double, tile_rows * tile_columns> tolerance;
};

/// D = repeat x (A B), plus D before where there is a `start`: A 16 x k and B k x 32 of `dtype`,
/// `start` 16 x 32 of its accumulator type (fp32, fp64, int32), all row major. The tolerance is the
/// a-priori bound of a sum in any order, n u / (1 - n u) x sum |a b| with n = k repeat + 1
/// roundings (Higham, Accuracy and Stability of Numerical Algorithms, 4.2), where u is
/// unit_roundoff. Zero where no sum can round: integers whose magnitudes add up to no more than the
/// accumulator counts to. The bound grows with the square of `repeat`, until a product left out
/// hides in it: check random tiles at `rounded_repeat` at most, and longer repeats on small
/// integers.
TileReference tile_reference(Dtype, Units, std::span<const double> a, std::span<const double> b,
                             std::uint64_t repeat, std::span<const double> start = {});

/// The dtype in which D is summed and stored.
Dtype accumulator_of(Dtype);

/// Compares a D tile with its reference. `tile` is its number, for the message. The error is that
/// of the sums: inputs are exact in their element type.
Check check_tile(const TileReference&, std::span<const double> d, std::uint64_t tile);

/// How often the product of random tiles is repeated where rounding is checked.
inline constexpr std::uint64_t rounded_repeat = 2;

}  // namespace kernels
