// Kernels for AVX-512 (F, BW, DQ, VL). Compiled with those flags.
#include "kernels/cpu/instruction_sets/avx512.hpp"

#include "kernels/family_loops.hpp"

namespace kernels::cpu {
namespace {

constexpr auto table = full_table<RegistersOf<Fp64, Fp32, Half, Brain, Int32, Int16Pairs>>();

}  // namespace

constinit const Isa isa_avx512 = isa_of("AVX-512", table, true, 64);

}  // namespace kernels::cpu
