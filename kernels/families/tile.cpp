// `tile`: every A tile times one B tile.
#include "kernels/families/tile.hpp"

#include <array>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::mma};
constexpr std::array units{Units::vector, Units::matrix};

double tiles_of(const Case& c) {
  return static_cast<double>(c.elements) / static_cast<double>(tile_elements(c.dtype));
}

/// All accumulators.
double result_bytes(const Case& c) {
  return tiles_of(c) *
         static_cast<double>(tile_rows * tile_columns * info_of(c.dtype).accumulator_size);
}

double input_bytes(const Case& c) {
  return static_cast<double>(c.elements) * static_cast<double>(size_of(c.dtype));
}

/// N elements of b byte, D byte of results, r repeats. Bytes: fused N b + D; unfused r (N b + D) +
/// (r - 1) D, as every step reads A and the sum so far, and writes the sum.
Work work(const Case& c) {
  const double passes = c.fusion == Fusion::fused ? 1 : static_cast<double>(c.repeat);
  const double results = result_bytes(c);
  return {.flops = tile_flops(c),
          .bytes = passes * (input_bytes(c) + results) + (passes - 1) * results,
          .launches = passes};
}

double footprint(const Case& c) {
  return input_bytes(c) + result_bytes(c) + static_cast<double>(tile_row_bytes * tile_columns);
}

/// On matrix units a tile is too small for the faster instruction of a device that has two: its
/// roof is that of the other one. The peak of the units is beside it, or a library's. On vector
/// units floats below fp32, and tf32, are widened to fp32, unless there are dot products of bf16
/// pairs.
Bounds bounds(const Case& c) {
  if (c.units == Units::matrix)
    return {{{c.dtype, c.units, Op::mma_sync},
             {c.dtype, c.units, Op::mma},
             {c.dtype, c.units, Op::gemm, 1, true}}};
  const bool narrow = c.dtype == Dtype::tf32 ||
                      (size_of(c.dtype) < size_of(Dtype::fp32) && !info_of(c.dtype).integer);
  const ComputeBound fma{narrow ? Dtype::fp32 : c.dtype, c.units, Op::fma};
  if (c.dtype != Dtype::bf16) return {{fma}};
  return {{{c.dtype, c.units, Op::mma}, fma}};
}

std::string tag(const Case& c) { return c.units == Units::matrix ? "matrix" : "tile"; }

Case least(Case c) {
  c.elements = tile_elements(c.dtype);
  return c;
}

}  // namespace

double tile_flops(const Case& c) {
  return tiles_of(c) * 2 * static_cast<double>(tile_rows * tile_columns * tile_depth(c.dtype)) *
         static_cast<double>(c.repeat);
}

const FamilyInfo tile_family{
    .name = "tile",
    .help = "tiles multiplied by a tile",
    .role = Role::workload,
    .ops = ops,
    .fuses = true,
    .step = "product per tile",
    .steps = "products per tile",
    .units = units,
    .work = work,
    .footprint = footprint,
    .bounds = bounds,
    .least = least,
    .granule = tile_elements,
    .tag = tag,
};

}  // namespace kernels
