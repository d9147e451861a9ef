// Kernels for AVX2 with FMA and F16C. Compiled with those flags.
#include "kernels/cpu/instruction_sets/avx2.hpp"

#include "kernels/family_loops.hpp"

namespace kernels::cpu {
namespace {

constexpr auto table = full_table<RegistersOf<Fp64, Fp32, Half, Brain, Int32, Int16Pairs>>();

}  // namespace

constinit const Isa isa_avx2 = isa_of("AVX2+FMA", table, true, 32);

}  // namespace kernels::cpu
