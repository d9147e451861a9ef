// Kernels for AVX2 with FMA and F16C. Compiled with those flags.
#include "kernels/cpu/instruction_sets/avx2.hpp"

#include "kernels/cpu/simd/rows.hpp"

namespace kernels::cpu {
namespace {

constexpr auto table = full_table<Fp64, Fp32, Half, Brain, Int32, Int16Pairs>();

}  // namespace

constinit const Isa isa_avx2 = isa_of("AVX2+FMA", table, true, 32);

}  // namespace kernels::cpu
