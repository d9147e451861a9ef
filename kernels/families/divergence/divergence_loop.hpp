// The loops behind the rows of `divergence`: a branch for each element, or all paths on whole
// registers, of which masks keep what belongs to each lane. See op_loop.hpp for the rules.
#pragma once

#include <cstdint>

#include "kernels/cpu/simd/rows.hpp"
#include "kernels/families/divergence/divergence.hpp"

namespace kernels::cpu {
namespace {

/// One path of the branch, an instruction sequence of its own.
template <int path>
[[gnu::noinline]] float follow(float x, std::uint64_t repeat) {
#pragma GCC unroll 8
  for (; repeat != 0; --repeat) x = x * path_factor(path) + path_addend(path);
  return x;
}

/// A DivergenceFunction: each element jumps to its path.
void branches_slice(const DivergenceSlice& slice) {
  using Path = float (*)(float, std::uint64_t);
  static constexpr Path paths[most_paths] = {
      follow<0>,  follow<1>,  follow<2>,  follow<3>,  follow<4>,  follow<5>,  follow<6>,
      follow<7>,  follow<8>,  follow<9>,  follow<10>, follow<11>, follow<12>, follow<13>,
      follow<14>, follow<15>, follow<16>, follow<17>, follow<18>, follow<19>, follow<20>,
      follow<21>, follow<22>, follow<23>, follow<24>, follow<25>, follow<26>, follow<27>,
      follow<28>, follow<29>, follow<30>, follow<31>};
  for (std::uint64_t i = 0; i < slice.elements; ++i)
    slice.out[i] = paths[static_cast<int>(slice.path[i])](slice.in[i], slice.repeat);
}

/// A DivergenceFunction: all lanes compute all paths.
template <class Simd>
void masked_slice(const DivergenceSlice& slice) {
  using Vector = typename Simd::Vector;
  constexpr int count = 8;  // hides the latency of fma
  constexpr std::uint64_t block = static_cast<std::uint64_t>(count * Simd::lanes);
  static_assert(divergence_granule % block == 0);
  for (std::uint64_t done = 0; done < slice.elements; done += block) {
    Vector result[count];
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) result[i] = Simd::load(slice.in + done + i * Simd::lanes);
    for (int path = 0; path < slice.paths; ++path) {
      const Vector a = Simd::set(path_factor(path)), b = Simd::set(path_addend(path));
      Vector x[count];
#pragma GCC unroll 8
      for (int i = 0; i < count; ++i) x[i] = Simd::load(slice.in + done + i * Simd::lanes);
      for (std::uint64_t repeat = slice.repeat; repeat != 0; --repeat) {
#pragma GCC unroll 8
        for (int i = 0; i < count; ++i) x[i] = Simd::fma(x[i], a, b);
      }
      const Vector number = Simd::set(static_cast<float>(path));
#pragma GCC unroll 8
      for (int i = 0; i < count; ++i) {
        const Vector mine = Simd::load(slice.path + done + i * Simd::lanes);
        result[i] = mine == number ? x[i] : result[i];
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) Simd::store(slice.out + done + i * Simd::lanes, result[i]);
  }
}

constexpr DivergenceFunction branches = branches_slice;
template <class Simd>
constexpr DivergenceFunction masked = masked_slice<Simd>;

template <class Registers>
consteval void add_divergence(Rows& rows) {
  Row row{.family = Family::divergence, .op = Op::branches, .own = &branches};
  rows.add(row);
  row.op = Op::masked;
  row.own = &masked<typename Registers::Fp32>;
  rows.add(row);
}

}  // namespace
}  // namespace kernels::cpu
