// `outside`: kernels that other programs measured. No device runs them.
#include <array>

#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::none};

/// Not known: what is told of a point is told with it.
Work work(const Case&) { return {.flops = 0, .bytes = 0, .launches = 1}; }

Bounds bounds(const Case& c) { return {.compute = {{c.dtype, c.units, Op::fma}}}; }

}  // namespace

extern const FamilyInfo outside_family{
    .name = "outside",
    .help = "kernels that other programs measured",
    .role = Role::outside,
    .ops = ops,
    .sized = false,
    .units = {},
    .work = work,
    .bounds = bounds,
};

}  // namespace kernels
