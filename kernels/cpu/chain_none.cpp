// The tables of x86-64 instruction sets on other processors: empty.
#include "kernels/cpu/isa.hpp"

namespace kernels::cpu {

Isa chain_avx2() { return {"AVX2+FMA", nullptr, 0}; }
Isa chain_avx512() { return {"AVX-512", nullptr, 0}; }
Isa chain_avx512fp16() { return {"AVX512-FP16", nullptr, 0}; }

}  // namespace kernels::cpu
