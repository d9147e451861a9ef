// How the per-instruction-set tables of tile and peak kernels are written down.
#pragma once

#include <cstddef>

#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/peak_loop.hpp"
#include "kernels/cpu/tile_loop.hpp"
#include "kernels/cpu/tile_storage.hpp"

namespace kernels::cpu {
namespace {

/// Peak kernel `op` for a dtype whose ops round to `arithmetic`.
template <class Simd, Op op>
consteval Row peak_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::peak,
          .op = op,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = arithmetic,
          .peak = peak_function<Simd, op>(),
          .peaks = peak_variants<Simd, op>(),
          .summing = Simd::summing};
}

/// Peak kernel of products that are summed: no op of a chain, so it goes by the op of tiles.
template <class Simd>
consteval Row dots_row(Dtype dtype, Dtype arithmetic) {
  Row row = peak_row<Simd, Op::fma>(dtype, arithmetic);
  row.op = Op::mma;
  return row;
}

/// Tile kernel with vector units.
template <class Simd, class Storage>
consteval Row tile_row(Dtype dtype, Dtype arithmetic) {
  return {.family = Family::tile,
          .op = Op::mma,
          .dtype = dtype,
          .units = Units::vector,
          .arithmetic = arithmetic,
          .tile = tile_slice<Simd, Storage>,
          .summing = Simd::summing};
}

/// The table as it leaves the file.
template <std::size_t count>
constexpr Isa isa_of(const char* name, const Row (&rows)[count], bool fused_multiply_add = true) {
  return {name, rows, count, fused_multiply_add};
}

}  // namespace
}  // namespace kernels::cpu
