// CPU devices with kernels that a test decides.
#pragma once

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/cpu/trials/trials.hpp"

namespace kernels::cpu {

inline const Abilities no_amx{.features = {}, .amx = false, .why_no_amx = "this CPU has no AMX"};

inline std::vector<int> cores() { return one_per_core("/", allowed_processors()); }

inline Row chain_row(Op op, Dtype dtype) {
  const Isa isa = isa_baseline;
  for (std::size_t i = 0; i < isa.count; ++i) {
    const Row& row = isa.rows[i];
    if (row.family == Family::chain && row.op == op && row.dtype == dtype) return row;
  }
  throw std::logic_error("no such row");
}

/// A device whose fma chain of this dtype is `function`.
/// One at a time: all share a table.
inline CpuDevice device_with(Op op, Dtype dtype, ChainFunction function,
                             const std::vector<int>& on = cores()) {
  static Row row;  // a table outlives its device
  row = chain_row(op, dtype);
  row.chain = function;
  return CpuDevice("/", on, no_amx,
                   Selection(no_amx, {{"test", &row, 1, isa_baseline.fused_multiply_add}}));
}

inline CpuDevice device_with(Dtype dtype, ChainFunction function) {
  return device_with(Op::fma, dtype, function);
}

/// The elements that a chain of fp32 was called with since the last take(), by address, of all
/// threads.
class Ranges {
 public:
  void add(const ChainSlice& slice) {
    const std::scoped_lock lock(mutex_);
    ranges_.push_back({reinterpret_cast<std::uintptr_t>(slice.in) / sizeof(float), slice.elements});
  }
  std::vector<Range> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(ranges_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Range> ranges_;
};

/// Elements in any of the ranges.
inline std::uint64_t covered(std::vector<Range> ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::uint64_t elements = 0, end = 0;
  for (const Range& range : ranges) {
    const std::uint64_t begin = std::max(end, range.first), last = range.first + range.count;
    if (last > begin) elements += last - begin;
    end = std::max(end, last);
  }
  return elements;
}

}  // namespace kernels::cpu
