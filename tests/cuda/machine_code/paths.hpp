// The least and the most that the paths through machine code execute.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/cuda/machine_code/sass.hpp"

namespace sass {

/// FLOP of one thread.
struct Flops {
  double least = 0, most = 0;
};

// As ncu counts them: of fp64 (`wide`) or of fp32. Moves of constants by HFMA2 are none.
inline double flops_of(const cubin::Instruction& i, bool wide) {
  switch (i.operation()) {
    case fadd:
    case fmul:
      return wide ? 0 : 1;
    case ffma:
      return wide ? 0 : 2;
    case dadd:
    case dmul:
      return wide ? 1 : 0;
    case dfma:
      return wide ? 2 : 0;
    default:
      return 0;
  }
}

// From the first instruction of `part` to its last, or to where the kernel ends. The least passes
// by all predicated instructions, the most executes them. Calls are left out: functions are called
// for arguments that inputs do not have (beyond the range of a division, for example). Loops run
// once.
inline Flops flops_between(const cubin::Kernel& kernel, cubin::Loop part, bool wide) {
  constexpr unsigned branch_if_uniform = 0x547, call_absolute = 0x43, call = 0x44, end = 0x4d,
                     trap = 0x5c, back = 0x50;
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr Flops impossible{never, -never};
  const auto either = [](const Flops& a, const Flops& b) {
    return Flops{std::min(a.least, b.least), std::max(a.most, b.most)};
  };
  const bool whole = part.last + 1 == kernel.code.size();
  std::vector<Flops> from(kernel.code.size() + 1, impossible);
  from[part.last] = whole ? impossible : Flops{};
  for (std::size_t i = part.last; i-- > part.first;) {
    const cubin::Instruction& one = kernel.code[i];
    const Flops next = from[i + 1];
    const unsigned operation = one.operation();
    // ptxas jumps out of some loops by a call under a predicate.
    if (one.branches || (operation == call && one.predicated)) {
      const auto target = static_cast<std::size_t>(one.target);
      const bool forward = target > i && target <= part.last;
      const bool may_pass = one.predicated || one.opcode == branch_if_uniform;
      from[i] = either(forward ? from[target] : impossible, may_pass ? next : impossible);
    } else if (operation == end) {
      from[i] = either(whole ? Flops{} : impossible, one.predicated ? next : impossible);
    } else if (operation == call || operation == call_absolute || operation == back ||
               operation == trap) {
      from[i] = impossible;
    } else {
      const double flops = flops_of(one, wide);
      from[i] = {next.least + (one.predicated ? 0 : flops), next.most + flops};
    }
  }
  return from[part.first];
}

}  // namespace sass
