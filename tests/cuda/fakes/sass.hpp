// What the tests of the generated code share: operations of SASS, and counts of them in the loops
// of a kernel.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cubin.hpp"
#include "kernels/dtypes.hpp"

namespace sass {

inline constexpr int architectures[] = {RIDGEPOINT_CUBIN_ARCHITECTURES};

// Operations, low 8 bits of the opcode.
inline constexpr unsigned fmul = 0x20, fadd = 0x21, ffma = 0x23;
inline constexpr unsigned dmul = 0x28, dadd = 0x29, dfma = 0x2b;
inline constexpr unsigned mufu = 0x08;  // reciprocal square root, and others that are looked up
inline constexpr unsigned hadd2 = 0x30, hfma2 = 0x31, hmul2 = 0x32;
inline constexpr unsigned iadd3 = 0x10, imad = 0x24, viadd = 0x36, idp = 0x26;
inline constexpr unsigned hmma = 0x3c, imma = 0x37, dmma = 0x3f, qmma = 0x7a;
inline constexpr unsigned hgmma = 0xf0, igmma = 0xf1, qgmma = 0xf3;
inline constexpr unsigned load_global = 0x81, load_global_wide = 0x7e;
// HFMA2 on the second pipe of compute capability 8.0 and 9.0; IADD on 12.0.
inline constexpr unsigned hfma2_mma_or_iadd = 0x35;
// Whole opcodes of accesses to local memory: registers that were spilled.
inline constexpr unsigned load_local = 0x983, store_local = 0x387, store_local_uniform = 0x987;

using Operations = std::set<unsigned>;

inline std::string path_of(const std::string& file, const std::string& architecture) {
  return std::string(RIDGEPOINT_CUBINS) + "/" + file + ".sm_" + architecture + ".cubin";
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

inline kernels::Dtype dtype_argument(const std::string& name) {
  const std::size_t at = name.find("(kernels::Dtype)");
  REQUIRE(at != std::string::npos);
  return static_cast<kernels::Dtype>(std::stoi(name.substr(at + 16)));
}

inline const Operations float_arithmetic{ffma, fadd, fmul, dfma, dadd, hfma2, hadd2};

}  // namespace sass
