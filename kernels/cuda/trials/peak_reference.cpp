#include "kernels/cuda/trials/peak_reference.hpp"

#include <cmath>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/peak_ops.hpp"

namespace kernels::cuda {
namespace {

template <class X>
X repeat_op(Op op, X x, X a, X b, std::uint64_t repeat) {
  for (std::uint64_t i = 0; i < repeat; ++i) {
    x = op == Op::mul       ? Mul::apply(x, a, b)
        : op == Op::add     ? Add::apply(x, a, b)
        : op == Op::mul_add ? MulAdd::apply(x, a, b)
                            : Fma::apply(x, a, b);
  }
  return x;
}

Case chain_of(Op op, Dtype arithmetic, std::uint64_t repeat) {
  return {.ops = op, .dtype = arithmetic, .elements = 1, .repeat = repeat};
}

Wrapping wrapping(double value) {
  return {static_cast<std::uint32_t>(encode(Dtype::int32, value))};
}

// Products of 11-bit numbers, and sums with one, are exact in double.
double repeat_narrow(Op op, Operands o, Dtype dtype, double x, std::uint64_t repeat) {
  for (std::uint64_t i = 0; i < repeat; ++i) {
    double product = op == Op::add ? x : x * o.a;
    if (op == Op::mul_add) product = round_to(dtype, product);
    x = round_to(dtype, op == Op::mul ? product : product + o.b);
  }
  return x;
}

}  // namespace

Operands peak_operands(Op op, Dtype dtype, PeakForm form) {
  if (form == PeakForm::immediate) return {immediate_a, immediate_b};
  return operands_of(op, dtype);
}

Operands counting_peak_operands(Op op, Dtype arithmetic, PeakForm form, std::uint64_t repeat) {
  // Of fp32 and fp64, whose every result tells the number of ops: they cannot be chosen.
  if (form == PeakForm::immediate) return peak_operands(op, arithmetic, form);
  return counting_operands(chain_of(op, arithmetic, repeat), {arithmetic});
}

std::uint64_t countable_peak_repeat(Op op, Dtype arithmetic) {
  return countable_repeat(chain_of(op, arithmetic, 1), {arithmetic});
}

double peak_reference(Op op, Operands o, Dtype arithmetic, double x, std::uint64_t repeat) {
  switch (arithmetic) {
    case Dtype::fp64:
      return repeat_op(op, x, o.a, o.b, repeat);
    case Dtype::fp32:
      return static_cast<double>(repeat_op(op, static_cast<float>(x), static_cast<float>(o.a),
                                           static_cast<float>(o.b), repeat));
    case Dtype::int32:
      return decode(Dtype::int32,
                    repeat_op(op, wrapping(x), wrapping(o.a), wrapping(o.b), repeat).value);
    default:
      return repeat_narrow(op, o, arithmetic, x, repeat);
  }
}

std::uint64_t peak_input_index(std::uint64_t thread, int chain, int chains, int lanes,
                               std::uint64_t input_mask, std::size_t element_bytes) {
  const auto vectors = static_cast<std::uint64_t>((chains + lanes - 1) / lanes);
  const std::uint64_t vector =
      (thread * vectors + static_cast<std::uint64_t>(chain / lanes)) & input_mask;
  const std::uint64_t per_vector = sizeof(Vector) / element_bytes;
  const std::uint64_t per_chain = per_vector / static_cast<std::uint64_t>(lanes);
  return vector * per_vector + static_cast<std::uint64_t>(chain % lanes) * per_chain;
}

}  // namespace kernels::cuda
