#include "kernels/cpu/loaded/chain_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "kernels/chain_text.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {
namespace {

constexpr std::string_view kit =
#include "kernels/cpu/loaded/kit_frame.inc"
    ;
// The same loop as in pointwise_loop.hpp.
constexpr std::string_view frame =
#include "kernels/cpu/loaded/chain_frame.inc"
    ;
constexpr std::string_view gradient_frame =
#include "kernels/cpu/loaded/gradient_frame.inc"
    ;

/// What a generated kernel begins with, the functions of the operators of a case among them, and
/// `rest` behind it, with its marks replaced. `what`: words for its first line. Throws Unsupported
/// as chain_source().
std::string kernel_text(const Case& c, const Isa& isa, std::string_view what, std::string_view rest,
                        std::vector<Mark> marks = {}) {
#ifndef __x86_64__
  throw Unsupported("kernels are generated for x86-64 processors only");
#endif
  const bool wide = c.dtype == Dtype::fp64, vex = isa.register_bytes > 16;
  const std::string end = wide ? "pd" : "ps";
  marks.insert(marks.end(), {{"@title@", fmt::format("{}{}, {}", what, chain_title(c), isa.name)},
                             {"@flags@", fmt::format("{}", fmt::join(chain_flags(isa), " "))},
                             {"@for@", "for (V& one : x)"},
                             {"@one@", "one"},
                             {"@scalar@", wide ? "double" : "float"},
                             {"@bytes@", fmt::format("{}", isa.register_bytes)},
                             {"@prefetch@", fmt::format("{}", chain_prefetch_distance)},
                             {"@register@", isa.register_bytes == 64 ? "v" : "x"},
                             {"@sqrt@", (vex ? "vsqrt" : "sqrt") + end},
                             {"@stream@", (vex ? "vmovnt" : "movnt") + end}});
  return chain_text(std::string(kit).append(rest), c, marks);
}

}  // namespace

std::vector<std::string> chain_flags(const Isa& isa) {
  std::vector<std::string> flags{"-O3", "-ffp-contract=fast"};
  if (isa.register_bytes == 64)
    flags.insert(flags.end(), {"-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma"});
  if (isa.register_bytes == 32) flags.insert(flags.end(), {"-mavx2", "-mfma"});
  return flags;
}

std::string chain_source(const Case& c, const Isa& isa) { return kernel_text(c, isa, "", frame); }

std::string gradient_source(const Case& c, const Isa& isa) {
  std::vector<Mark> marks = gradient_marks(c);
  marks.push_back({"@each@", "  for (int j = 0; j < count; ++j)"});
  return kernel_text(c, isa, "Forward and backward pass of ", gradient_frame, std::move(marks));
}

}  // namespace kernels::cpu
