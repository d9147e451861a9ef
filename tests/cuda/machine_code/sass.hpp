// What the tests of the generated code share: operations of SASS, and counts of them in the loops
// of a kernel.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/dtypes.hpp"
#include "tests/cuda/machine_code/cubin.hpp"

namespace sass {

/// What the build made; scripts/check-toolkits.sh names the machine code of another compiler.
inline std::string setting(const char* name, const char* built) {
  const char* const given = std::getenv(name);
  return given != nullptr ? given : built;
}
inline std::vector<int> listed(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<int>(words), {}};
}
inline const std::vector<int> architectures =
    listed(setting("RIDGEPOINT_CUBIN_ARCHITECTURES", RIDGEPOINT_BUILT_ARCHITECTURES));

// Operations, low 8 bits of the opcode.
inline constexpr unsigned fmul = 0x20, fadd = 0x21, ffma = 0x23;
inline constexpr unsigned dmul = 0x28, dadd = 0x29, dfma = 0x2b;
inline constexpr unsigned mufu = 0x08;  // reciprocal square root, and others that are looked up
inline constexpr unsigned hadd2 = 0x30, hfma2 = 0x31, hmul2 = 0x32;
inline constexpr unsigned iadd3 = 0x10, imad = 0x24, viadd = 0x36, idp = 0x26;
inline constexpr unsigned hmma = 0x3c, imma = 0x37, dmma = 0x3f, qmma = 0x7a;
inline constexpr unsigned hgmma = 0xf0, igmma = 0xf1, qgmma = 0xf3;
inline constexpr unsigned load_global = 0x81, load_global_wide = 0x7e;
inline constexpr unsigned store_global = 0x86, store_global_wide = 0x7f;  // wide: 32 bytes
inline constexpr unsigned load_shared = 0x84, store_shared = 0x88;
inline constexpr unsigned copy_global = 0xae;  // cp.async: to shared memory
// Stores by an address of any space, and atomic operations with and without a result.
inline constexpr unsigned store_anywhere = 0x85, atomic_global = 0xa8, reduce_global = 0x8e;
inline constexpr unsigned breakpoint = 0x5c;  // BPT.TRAP, which ends a launch in an error
// HFMA2 on the second pipe of compute capability 8.0 and 9.0; IADD on 12.0.
inline constexpr unsigned hfma2_mma_or_iadd = 0x35;
// Whole opcodes of accesses to local memory: registers that were spilled.
inline constexpr unsigned load_local = 0x983, store_local = 0x387, store_local_uniform = 0x987;

using Operations = std::set<unsigned>;

inline const Operations every_mma{hmma, imma, dmma, qmma};
/// mma.sync of a dtype.
inline unsigned mma_operation(kernels::Dtype dtype) {
  switch (dtype) {
    case kernels::Dtype::fp64:
      return dmma;
    case kernels::Dtype::int8:
      return imma;
    case kernels::Dtype::fp8:
      return qmma;
    default:
      return hmma;
  }
}

inline std::string path_of(const std::string& file, const std::string& architecture) {
  return setting("RIDGEPOINT_CUBINS", RIDGEPOINT_BUILT_CUBINS) + "/" + file + ".sm_" +
         architecture + ".cubin";
}

inline std::vector<cubin::Kernel> kernels_of(const std::string& file, int architecture) {
  return cubin::read(path_of(file, std::to_string(architecture)), architecture);
}

template <class Predicate>
int count(const cubin::Kernel& kernel, cubin::Loop loop, Predicate predicate) {
  return static_cast<int>(
      std::count_if(kernel.code.begin() + static_cast<std::ptrdiff_t>(loop.first),
                    kernel.code.begin() + static_cast<std::ptrdiff_t>(loop.last) + 1, predicate));
}

inline cubin::Loop everything(const cubin::Kernel& kernel) { return {0, kernel.code.size() - 1}; }

inline bool traps(const cubin::Kernel& kernel) {
  return std::ranges::any_of(
      kernel.code, [](const cubin::Instruction& i) { return i.operation() == breakpoint; });
}

// Whether something of what it does can be seen from outside.
inline bool stores(const cubin::Kernel& kernel) {
  const Operations all{store_global, store_global_wide, store_anywhere, atomic_global,
                       reduce_global};
  return std::ranges::any_of(
      kernel.code, [&](const cubin::Instruction& i) { return all.contains(i.operation()); });
}

// Counts per innermost loop, without those that do none of it.
inline std::vector<int> loop_counts(const cubin::Kernel& kernel, const Operations& operations,
                                    bool predicated_only) {
  std::vector<int> counts;
  for (const cubin::Loop& loop : cubin::innermost_loops(kernel)) {
    const int n = count(kernel, loop, [&](const cubin::Instruction& i) {
      return operations.contains(i.operation()) && (!predicated_only || i.predicated);
    });
    if (n > 0) counts.push_back(n);
  }
  std::ranges::sort(counts);
  return counts;
}

// How ncu's counters name an operation: smsp__sass_thread_inst_executed_op_NAME_pred_on.
inline std::string counter_of(unsigned operation, int architecture) {
  switch (operation) {
    case fadd:
      return "fadd";
    case fmul:
      return "fmul";
    case ffma:
      return "ffma";
    case dadd:
      return "dadd";
    case dmul:
      return "dmul";
    case dfma:
      return "dfma";
    case hadd2:
      return "hadd";
    case hmul2:
      return "hmul";
    case hfma2:
      return "hfma";
    case hfma2_mma_or_iadd:
      return architecture < 120 ? "hfma" : "";
    default:
      return "";
  }
}

// FLOP by counter name, of weights like "fadd:1,ffma:2".
inline std::map<std::string, int> weights_of(const std::string& weights) {
  std::map<std::string, int> weight_of;
  std::stringstream parts(weights);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t colon = part.find(':');
    REQUIRE(colon != std::string::npos);
    weight_of[part.substr(0, colon)] = std::stoi(part.substr(colon + 1));
  }
  return weight_of;
}

// FLOP that a counter sees in an instruction.
inline int counted(const std::map<std::string, int>& weights, const cubin::Instruction& instruction,
                   int architecture) {
  const auto found = weights.find(counter_of(instruction.operation(), architecture));
  return found == weights.end() ? 0 : found->second;
}

// FLOP per trip of each innermost loop, by weights like "fadd:1,ffma:2", without loops of none.
inline std::vector<int> counted_flops(const cubin::Kernel& kernel, const std::string& weights,
                                      int architecture) {
  const auto weight_of = weights_of(weights);
  std::vector<int> flops;
  for (const cubin::Loop& loop : cubin::innermost_loops(kernel)) {
    int sum = 0;
    for (std::size_t i = loop.first; i <= loop.last; ++i) {
      sum += counted(weight_of, kernel.code[i], architecture);
    }
    if (sum > 0) flops.push_back(sum);
  }
  std::ranges::sort(flops);
  return flops;
}

inline kernels::Dtype dtype_argument(const std::string& name) {
  const std::size_t at = name.find("(kernels::Dtype)");
  REQUIRE(at != std::string::npos);
  return static_cast<kernels::Dtype>(std::stoi(name.substr(at + 16)));
}

inline const Operations float_arithmetic{ffma, fadd, fmul, dfma, dadd, hfma2, hadd2};

}  // namespace sass
