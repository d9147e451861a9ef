#include "kernels/cuda/tile_check.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kernels::cuda {
namespace {

// Relative error of one addition to an accumulator. Vector units round to nearest; matrix units
// truncate, and for fp8 keep 14 bits.
double unit_error(Dtype dtype, Units units) {
  if (info_of(dtype).integer) return 0;
  if (dtype == Dtype::fp64) return 0x1p-53;
  if (units == Units::vector) return 0x1p-24;
  return dtype == Dtype::fp8 ? 0x1p-13 : 0x1p-22;
}

}  // namespace

TileElement tile_element(const TileOperands& operands, std::uint64_t repeat, Units units, int row,
                         int column) {
  const auto depth = static_cast<int>(tile_depth(operands.dtype));
  const auto columns = static_cast<int>(tile_columns);
  long double sum = 0;
  long double magnitude = 0;
  for (int k = 0; k < depth; ++k) {
    const long double product = static_cast<long double>(operands.a[row * depth + k]) *
                                static_cast<long double>(operands.b[k * columns + column]);
    sum += product;
    magnitude += std::fabs(product);
  }
  const auto times = static_cast<long double>(repeat);
  const double additions = static_cast<double>(repeat) * depth;
  return {static_cast<double>(sum * times), unit_error(operands.dtype, units) *
                                                (1 + additions / 2) *
                                                static_cast<double>(magnitude * times)};
}

Check tile_agrees(const TileOperands& operands, std::uint64_t repeat, Units units,
                  const std::vector<double>& d) {
  for (int row = 0; row < static_cast<int>(tile_rows); ++row) {
    for (int column = 0; column < static_cast<int>(tile_columns); ++column) {
      const TileElement expected = tile_element(operands, repeat, units, row, column);
      const double got = d[row * static_cast<int>(tile_columns) + column];
      // Written so that NaN fails.
      if (!(std::fabs(got - expected.value) <= expected.tolerance)) {
        return {false, fmt::format("row {}, column {}: expected {} within {}, got {}", row, column,
                                   expected.value, expected.tolerance, got)};
      }
    }
  }
  return {true, ""};
}

}  // namespace kernels::cuda
