// CPU devices with kernels that a test decides.
#pragma once

#include <stdexcept>
#include <vector>

#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/cpu/trials/trials.hpp"

namespace kernels::cpu {

inline const Abilities no_amx{.features = {}, .amx = false, .why_no_amx = "this CPU has no AMX"};

inline std::vector<int> cores() { return one_per_core("/", allowed_processors()); }

inline Row chain_row(Op op, Dtype dtype) {
  const Isa isa = isa_baseline();
  for (std::size_t i = 0; i < isa.count; ++i) {
    const Row& row = isa.rows[i];
    if (row.family == Family::chain && row.op == op && row.dtype == dtype) return row;
  }
  throw std::logic_error("no such row");
}

/// A device whose fma chain of this dtype is `function`.
/// One at a time: all share a table.
inline CpuDevice device_with(Op op, Dtype dtype, ChainFunction function) {
  static Row row;  // a table outlives its device
  row = chain_row(op, dtype);
  row.chain = function;
  return CpuDevice("/", cores(), no_amx,
                   Selection(no_amx, {{"test", &row, 1, isa_baseline().fused_multiply_add}}));
}

inline CpuDevice device_with(Dtype dtype, ChainFunction function) {
  return device_with(Op::fma, dtype, function);
}

}  // namespace kernels::cpu
