// What tables of kernels are made of: each family adds its rows by a function in
// kernels/families/NAME/NAME_loop.hpp.
#pragma once

#include <cstddef>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {
namespace {

/// The registers of an instruction set by element type. `Half` and `Brain`: fp16 and bf16 in
/// memory, fp32 in registers.
template <class OfFp64, class OfFp32, class OfHalf, class OfBrain, class OfInt32,
          class OfInt16Pairs>
struct RegistersOf {
  using Fp64 = OfFp64;
  using Fp32 = OfFp32;
  using Half = OfHalf;
  using Brain = OfBrain;
  using Int32 = OfInt32;
  using Int16Pairs = OfInt16Pairs;
};

/// The rows of one instruction set, as they are collected. A full list does not compile.
struct Rows {
  Row list[192] = {};
  std::size_t count = 0;

  consteval void add(const Row& row) { list[count++] = row; }
};

/// The table as it leaves the file.
consteval Isa isa_of(const char* name, const Rows& rows, bool fused_multiply_add = true,
                     int register_bytes = 16) {
  return {name, rows.list, rows.count, fused_multiply_add, register_bytes};
}

}  // namespace
}  // namespace kernels::cpu
