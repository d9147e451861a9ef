#include "kernels/cpu/loaded/gradient_source.hpp"

#include <string_view>

#include "kernels/cpu/loaded/chain_source.hpp"
#include "kernels/gradient_text.hpp"

namespace kernels::cpu {
namespace {

constexpr std::string_view frame =
#include "kernels/cpu/loaded/gradient_frame.inc"
    ;

}  // namespace

std::string gradient_source(const Case& c, const Isa& isa) {
  std::vector<Mark> marks = gradient_marks(c);
  marks.push_back({"@each@", "  for (int j = 0; j < count; ++j)"});
  return kernel_text(c, isa, "Forward and backward pass of ", frame, std::move(marks));
}

}  // namespace kernels::cpu
