// The tables of x86-64 instruction sets on other processors: empty.
#include "kernels/cpu/isa.hpp"

namespace kernels::cpu {

Isa tile_avx2() { return {"AVX2+FMA", nullptr, 0}; }
Isa tile_avx512() { return {"AVX-512", nullptr, 0}; }
Isa tile_avx512fp16() { return {"AVX512-FP16", nullptr, 0}; }
Isa tile_amx() { return {"AMX", nullptr, 0}; }

}  // namespace kernels::cpu
