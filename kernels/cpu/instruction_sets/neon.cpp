// Kernels for 64-bit Arm processors: NEON is their baseline. Where they have SVE, too, it is as
// wide in sum (Neoverse V1: two units of 256 bit for four of 128; N2 and V2: the same units), but
// for the A64FX.
#include "kernels/cpu/instruction_sets/neon.hpp"

#include "kernels/family_loops.hpp"

namespace kernels::cpu {
namespace {

constexpr auto table = full_table<RegistersOf<Fp64, Fp32, Half, Brain, Int32, Int16Pairs>>();

}  // namespace

StreamFunction string_copy() { return nullptr; }

constinit const Isa isa_baseline = isa_of("NEON", table);

}  // namespace kernels::cpu
