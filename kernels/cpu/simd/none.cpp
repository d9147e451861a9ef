// What x86-64 processors have, on others: tables without rows, and no AMX.
#include "kernels/cpu/machine/amx.hpp"
#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {

Isa isa_avx2() { return {"AVX2+FMA", nullptr, 0}; }
Isa isa_avxvnni() { return {"AVX-VNNI", nullptr, 0}; }
Isa isa_avx512() { return {"AVX-512", nullptr, 0}; }
Isa isa_avx512fp16() { return {"AVX512-FP16", nullptr, 0}; }
Isa isa_avx512bf16() { return {"AVX512-BF16", nullptr, 0}; }
Isa isa_avx512vnni() { return {"AVX512-VNNI", nullptr, 0}; }
Isa isa_amx() { return {"AMX", nullptr, 0}; }

bool amx_usable(std::string& why_not) {
  why_not = "AMX needs an x86-64 processor and Linux";
  return false;
}

}  // namespace kernels::cpu
