// What x86-64 processors have, on others: tables without rows, and no AMX.
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {

constinit const Isa isa_avx2 = {"AVX2+FMA", nullptr, 0};
constinit const Isa isa_avxvnni = {"AVX-VNNI", nullptr, 0};
constinit const Isa isa_avx512 = {"AVX-512", nullptr, 0};
constinit const Isa isa_avx512fp16 = {"AVX512-FP16", nullptr, 0};
constinit const Isa isa_avx512bf16 = {"AVX512-BF16", nullptr, 0};
constinit const Isa isa_avx512vnni = {"AVX512-VNNI", nullptr, 0};
constinit const Isa isa_amx = {"AMX", nullptr, 0};

bool amx_usable(std::string& why_not) {
  why_not = "AMX needs an x86-64 processor and Linux";
  return false;
}

}  // namespace kernels::cpu
