#include "kernels/cpu/machine/processor.hpp"

namespace kernels::cpu {

ProcessorModel processor_model(const std::filesystem::path&, const std::vector<int>&) { return {}; }
Features processor_features() { return {}; }
bool on_hypervisor() { return false; }

// Chains keep away from subnormals by their operands; without a portable switch that has to do.
FlushToZero::FlushToZero() = default;
FlushToZero::~FlushToZero() = default;

void spin_pause() { __asm__ volatile("" ::: "memory"); }

bool can_flush() { return false; }
void flush(const void*, std::size_t) {}

}  // namespace kernels::cpu
