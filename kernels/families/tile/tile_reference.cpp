#include "kernels/families/tile/tile_reference.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels {
namespace {

/// Integers up to this are exact in the accumulator, in every order of summation.
double exact_integers(Dtype dtype) {
  if (dtype == Dtype::fp8) return 0x1p13;
  return accumulator_of(dtype) == Dtype::fp64 ? 0x1p53 : 0x1p24;
}

/// n u / (1 - n u): what n roundings in a row can add up to, relative to the sum of magnitudes.
double error_growth(double roundings, double unit) {
  const double product = roundings * unit;
  return product < 1 ? product / (1 - product) : 1;
}

double wrapped(double exact_integer) { return round_to(Dtype::int32, exact_integer); }

}  // namespace

Dtype accumulator_of(Dtype dtype) {
  if (info_of(dtype).integer) return Dtype::int32;
  return info_of(dtype).accumulator_size == 8 ? Dtype::fp64 : Dtype::fp32;
}

double unit_roundoff(Dtype dtype, Units units) {
  const double half_place = accumulator_of(dtype) == Dtype::fp64 ? 0x1p-53 : 0x1p-24;
  if (units == Units::vector) return half_place;
  return dtype == Dtype::fp8 ? 0x1p-13 : 2 * half_place;
}

TileReference tile_reference(Dtype dtype, Units units, std::span<const double> a,
                             std::span<const double> b, std::uint64_t repeat,
                             std::span<const double> start) {
  const std::size_t depth = tile_depth(dtype);
  const bool exact = info_of(dtype).integer;
  const auto times = static_cast<double>(repeat);
  const double terms = static_cast<double>(depth) * times + 1;
  // In double itself the reference rounds too, once per product and sum of one A B.
  const double own = accumulator_of(dtype) == Dtype::fp64 ? static_cast<double>(2 * depth) : 0;
  const double growth = error_growth(terms + own, unit_roundoff(dtype, units));
  TileReference result{};
  for (std::size_t at = 0; at < result.value.size(); ++at) {
    const std::size_t row = at / tile_columns;
    const std::size_t column = at % tile_columns;
    double sum = 0;
    double magnitude = 0;
    bool integers = true;
    for (std::size_t k = 0; k < depth; ++k) {
      const double product = a[row * depth + k] * b[k * tile_columns + column];
      sum += product;
      magnitude += std::fabs(product);
      integers = integers && product == std::nearbyint(product);
    }
    const double before = start.empty() ? 0 : start[at];
    const double value = sum * times + before;
    result.value[at] = exact ? wrapped(value) : value;
    const double all = magnitude * times + std::fabs(before);
    const bool rounds =
        !integers || before != std::nearbyint(before) || all > exact_integers(dtype);
    result.tolerance[at] = exact || !rounds ? 0 : growth * all;
  }
  return result;
}

Check check_tile(const TileReference& reference, std::span<const double> d, std::uint64_t tile) {
  Deviation deviation;
  for (std::size_t at = 0; at < reference.value.size(); ++at) {
    const double got = d[at];
    const double error = std::fabs(got - reference.value[at]);
    deviation.add(reference.value[at], got);
    if (error <= reference.tolerance[at]) continue;  // false for NaN
    return {false,
            fmt::format("D tile {}, row {}, column {}: expected {:.9g} within {:.2g}, got {:.9g}",
                        tile, at / tile_columns, at % tile_columns, reference.value[at],
                        reference.tolerance[at], got)};
  }
  return {.ok = true, .error = deviation.share()};
}

}  // namespace kernels
