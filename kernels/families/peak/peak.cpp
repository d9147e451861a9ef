// `peak`: arithmetic in registers, which measures the peak of an op, a dtype and its units.
#include <array>

#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::fma, Op::mul, Op::add, Op::mul_add, Op::mma, Op::mma_sync, Op::gemm};
constexpr std::array units{Units::vector, Units::matrix};

/// N chains that stay in registers: N r f FLOP and no byte; on matrix units N / 16k tiles. The
/// device picks N for the shape when `elements` is 0, and m, n, k of a library's product, of which
/// only Trial::work() knows.
Work work(const Case& c) {
  if (c.op() == Op::gemm) return {.flops = 0, .bytes = 0, .launches = 1};
  const double vector =
      static_cast<double>(c.elements) * static_cast<double>(c.repeat) * flops_of(c.ops);
  return {.flops = c.units == Units::matrix ? tile_flops(c) : vector, .bytes = 0, .launches = 1};
}

Bounds bounds(const Case& c) {
  const ComputeBound own{c.dtype, c.units, c.op()};
  const ComputeBound fma{c.dtype, c.units, Op::fma};
  if (c.op() == Op::fma || c.units == Units::matrix) return {{own}, ""};
  return {{own, fma}, ""};
}

}  // namespace

Case peak_case(Op op, Dtype dtype, Units units_used, Data data) {
  return {.family = Family::peak,
          .ops = op,
          .dtype = dtype,
          .units = units_used,
          .repeat = max_repeat,  // the longest chain: starting it is the least of the time
          .data = data};
}

extern const FamilyInfo peak_family{
    .name = "peak",
    .help = "arithmetic in registers",
    .role = Role::compute,
    .ops = ops,
    .chooses_op = true,
    .sized = false,
    .units = units,
    .work = work,
    .bounds = bounds,
};

std::string_view peak_word(Op op, Dtype dtype, Units units_used) {
  if (op == Op::gemm) return "library";
  if (op == Op::mma_sync) return "mma.sync";
  if (units_used == Units::matrix) return "matrix";
  if (op == Op::mma && dtype == Dtype::bf16) return "dot";
  // All other arithmetic is measured against multiply-adds.
  const bool own = op == Op::mul || op == Op::add || op == Op::mul_add || op == Op::sqrt;
  return own ? op->name : "FMA";
}

}  // namespace kernels
