#include "kernels/cuda/operators/chain_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "kernels/chain_text.hpp"

namespace kernels::cuda {
namespace {

// The same thread as in pointwise_body.hpp.
constexpr std::string_view frame =
#include "kernels/cuda/operators/chain_frame.inc"
    ;

}  // namespace

std::vector<std::string> chain_options() { return {"-std=c++17", "-default-device"}; }

std::string chain_source(const Case& c) {
  const bool wide = c.dtype == Dtype::fp64;
  const Mark marks[] = {
      {"@title@", chain_title(c)},
      {"@flags@", fmt::format("{}", fmt::join(chain_options(), " "))},
      // Over an index: a loop over a range is not unrolled, and x in memory.
      {"    @for@", "#pragma unroll\n  for (unsigned i = 0; i < vectors * lanes; ++i)"},
      {"@one@", "x[i]"},
      {"@scalar@", wide ? "double" : "float"},
      {"@suffix@", wide ? "" : "f"},
      {"@register@", wide ? "d" : "f"}};
  return chain_text(frame, c, marks);
}

}  // namespace kernels::cuda
