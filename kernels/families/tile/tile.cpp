// `tile`: every A tile times one B tile.
#include "kernels/families/tile/tile.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile_reference.hpp"

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

/// N elements of b byte, D byte of results, r repeats. Bytes: fused N b + D; unfused r (N b + D) +
/// (r - 1) D, as every step reads A and the sum so far, and writes the sum.
Work work(const Case& c) {
  const double passes = c.fusion == Fusion::fused ? 1 : static_cast<double>(c.repeat);
  const double results = result_bytes(c);
  return {.flops = tile_flops(c),
          .bytes = passes * (tensor_bytes(c) + results) + (passes - 1) * results,
          .launches = passes};
}

double footprint(const Case& c) {
  return tensor_bytes(c) + result_bytes(c) + static_cast<double>(tile_row_bytes * tile_columns);
}

/// On matrix units a tile is too small for the faster instruction of a device that has two: its
/// roof is that of the other one. The peak of the units is beside it, or a library's. On vector
/// units floats below fp32, and tf32, are widened to fp32, unless there are dot products of bf16
/// pairs; the peak of int8 is of the instruction that multiplies its tiles.
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

Check check_run(Checkable& tiles, const Case& c, const std::stop_token& stop) {
  constexpr std::uint64_t compared = 32, results = tile_rows * tile_columns;
  const std::uint64_t elements = tile_elements(c.dtype), all = c.elements / elements;
  const Covered covered = tiles.run_poisoned(c, {}, stop);
  if (!covered.check.ok) return covered.check;
  std::vector<Window> windows = sampled_windows(tiles, all, compared);
  for (const std::uint64_t one : covered.doubtful) windows.push_back({one / results, 1});
  std::vector<double> a(elements), b(tile_depth(c.dtype) * tile_columns);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = tiles.input(1, i);
  Check check{.ok = true};
  for (const Window& window : windows) {
    for (std::uint64_t tile = window.first; tile < window.first + window.count; ++tile) {
      if (stop.stop_requested()) throw Cancelled();
      for (std::uint64_t i = 0; i < elements; ++i) a[i] = tiles.input(0, tile * elements + i);
      const Check one = check_tile(tile_reference(c.dtype, c.units, a, b, c.repeat),
                                   tiles.read({tile * results, results}), tile);
      if (!one.ok) return one;
      check.error = std::max(check.error, one.error);
    }
  }
  return check;
}

/// A few repeats, where rounding must stay within its bound, of all tiles, once per kernel and
/// size; then all of them on a part of the tiles, with products that are exact, and on the data of
/// the case for their error.
Check check(Checkable& tiles, const std::stop_token& stop) {
  Case few = tiles.timed(), part = few;
  few.repeat = rounded_repeat;  // whatever the case has: a proved kernel adds up, too
  part.elements = std::min(part.elements, tiles.with_all_ops());
  tiles.fill(Contents::case_data, stop);
  Check check{.ok = true};
  if (!tiles.is_proved()) {
    check = check_run(tiles, few, stop);
    if (!check.ok) return check;
    tiles.note_proved();
  }
  tiles.fill(Contents::exact, stop);
  const Check exact = check_run(tiles, part, stop);
  tiles.fill(Contents::case_data, stop);
  if (!exact.ok) return exact;
  return part == few && check.error > 0 ? check : check_run(tiles, part, stop);
}

}  // namespace

double tile_flops(const Case& c) {
  return tiles_of(c) * 2 * static_cast<double>(tile_rows * tile_columns * tile_depth(c.dtype)) *
         static_cast<double>(c.repeat);
}

extern const FamilyInfo tile_family{
    .name = "tile",
    .help = "tiles multiplied by a tile",
    .ops = ops,
    .fuses = true,
    .step = "product per tile",
    .steps = "products per tile",
    .units = units,
    .work = work,
    .footprint = footprint,
    .bounds = bounds,
    .least = one_granule,
    .granule = tile_elements,
    .tag = tag,
    .check = check,
};

}  // namespace kernels
