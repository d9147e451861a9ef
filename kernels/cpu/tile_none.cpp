// The tables of x86-64 instruction sets on other processors: empty.
#include "kernels/cpu/isa.hpp"

namespace kernels::cpu {

Isa tile_avx2() { return {"AVX2+FMA", nullptr, 0}; }
Isa tile_avx512() { return {"AVX-512", nullptr, 0}; }
Isa tile_avx512fp16() { return {"AVX512-FP16", nullptr, 0}; }
Isa tile_avx512bf16() { return {"AVX512-BF16", nullptr, 0}; }
Isa tile_avx512vnni() { return {"AVX512-VNNI", nullptr, 0}; }
Isa tile_avxvnni() { return {"AVX-VNNI", nullptr, 0}; }
Isa tile_amx() { return {"AMX", nullptr, 0}; }

}  // namespace kernels::cpu
