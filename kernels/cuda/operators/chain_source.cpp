#include "kernels/cuda/operators/chain_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/chain_text.hpp"
#include "kernels/families/pointwise/pointwise.hpp"

namespace kernels::cuda {
namespace {

constexpr std::string_view kit =
#include "kernels/cuda/operators/kit_frame.inc"
    ;
// The same thread as in pointwise_body.hpp.
constexpr std::string_view frame =
#include "kernels/cuda/operators/chain_frame.inc"
    ;
constexpr std::string_view both_passes =
#include "kernels/cuda/operators/gradient_frame.inc"
    ;

/// What kernels begin with, and `rest` behind it. `what`: words for the first line.
std::string kernel_text(const Case& c, std::string_view what, std::string_view rest,
                        std::vector<Mark> marks) {
  const bool wide = c.dtype == Dtype::fp64;
  marks.insert(marks.end(), {{"@title@", fmt::format("{}{}", what, chain_title(c))},
                             {"@flags@", fmt::format("{}", fmt::join(chain_options(), " "))},
                             {"@scalar@", wide ? "double" : "float"},
                             {"@suffix@", wide ? "" : "f"},
                             {"@register@", wide ? "d" : "f"}});
  return chain_text(std::string(kit).append(rest), c, marks);
}

}  // namespace

std::vector<std::string> chain_options() { return {"-std=c++17", "-default-device"}; }

// Over an index: a loop over a range is not unrolled, and x in memory.
std::string chain_source(const Case& c) {
  return kernel_text(
      c, "", frame,
      {{"    @for@", "#pragma unroll\n  for (unsigned i = 0; i < vectors * lanes; ++i)"},
       {"@one@", "x[i]"}});
}

std::string gradient_source(const Case& c) {
  std::vector<Mark> marks = gradient_marks(c);
  marks.push_back({"@each@", "#pragma unroll\n  for (unsigned j = 0; j < count; ++j)"});
  marks.push_back({"@bits@", c.dtype == Dtype::fp64 ? "unsigned long long" : "unsigned"});
  marks.push_back({"@kept@", activations_of(c) == Activations::kept ? "true" : "false"});
  return kernel_text(c, "Forward and backward pass of ", both_passes, std::move(marks));
}

}  // namespace kernels::cuda
