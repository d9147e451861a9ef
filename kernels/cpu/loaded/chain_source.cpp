#include "kernels/cpu/loaded/chain_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "kernels/device.hpp"

namespace kernels::cpu {
namespace {

// The same loop as in pointwise_loop.hpp.
constexpr std::string_view frame =
#include "kernels/cpu/loaded/chain_frame.inc"
    ;

}  // namespace

std::vector<std::string> chain_flags(const Isa& isa) {
  std::vector<std::string> flags{"-O3", "-ffp-contract=fast"};
  if (isa.register_bytes == 64)
    flags.insert(flags.end(), {"-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma"});
  if (isa.register_bytes == 32) flags.insert(flags.end(), {"-mavx2", "-mfma"});
  return flags;
}

std::string chain_source(const Case& c, const Isa& isa) {
#ifndef __x86_64__
  throw Unsupported("kernels are generated for x86-64 processors only");
#endif
  const bool wide = c.dtype == Dtype::fp64, vex = isa.register_bytes > 16;
  const std::string end = wide ? "pd" : "ps";
  const Mark marks[] = {
      {"@title@", fmt::format("{}, {}", chain_title(c), isa.name)},
      {"@flags@", fmt::format("{}", fmt::join(chain_flags(isa), " "))},
      {"@for@", "for (V& one : x)"},
      {"@one@", "one"},
      {"@scalar@", wide ? "double" : "float"},
      {"@bytes@", fmt::format("{}", isa.register_bytes)},
      {"@register@", isa.register_bytes == 64 ? "v" : "x"},
      {"@sqrt@", (vex ? "vsqrt" : "sqrt") + end},
      {"@stream@", (vex ? "vmovnt" : "movnt") + end},
  };
  return chain_text(frame, c, marks);
}

}  // namespace kernels::cpu
