// `launch`: kernels that do nothing, which measure what starting one costs.
#include <array>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::none};

Work work(const Case& c) {
  return {.flops = 0, .bytes = 0, .launches = static_cast<double>(c.repeat)};
}

}  // namespace

Case launch_case(std::uint64_t launches) {
  return {.family = Family::launch, .ops = Op::none, .repeat = launches};
}

extern const FamilyInfo launch_family{
    .name = "launch",
    .help = "empty kernels",
    .role = Role::overhead,
    .ops = ops,
    .sized = false,
    .work = work,
};

}  // namespace kernels
