#include "kernels/families/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/random.hpp"

namespace kernels {
namespace {

std::uint32_t to_word(double value) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

double integer_op(Op op, Operands operands, double x) {
  const std::uint32_t word = to_word(x), a = to_word(operands.a), b = to_word(operands.b);
  const std::uint32_t result = op == Op::mul ? word * a : op == Op::add ? word + b : word * a + b;
  return static_cast<std::int32_t>(result);
}

// One op, rounded once to the arithmetic dtype. The product of two numbers of at most 24 bits is
// exact in double, and so is a sum with an fp16 or bf16 operand; an fp32 fma would round twice,
// hence fmaf. A square root has no neighbour that rounding it twice could reach.
double float_op(Op op, Operands operands, Arithmetic arithmetic, double x) {
  const Dtype dtype = arithmetic.dtype;
  if (op == Op::mul) return round_to(dtype, x * operands.a);
  if (op == Op::add) return round_to(dtype, x + operands.b);
  if (op == Op::sqrt) return round_to(dtype, std::sqrt(std::fabs(x)));
  if (op == Op::mul_add || !arithmetic.fused_multiply_add) {
    return round_to(dtype, round_to(dtype, x * operands.a) + operands.b);
  }
  if (dtype == Dtype::fp32) {
    return std::fmaf(static_cast<float>(x), static_cast<float>(operands.a),
                     static_cast<float>(operands.b));
  }
  return round_to(dtype, std::fma(x, operands.a, operands.b));
}

// Negative: the sign of every product differs from that of x, so a chain that is one op short is
// wrong by far even where the dtype has few bits. As a factor, |a| just below 1 keeps |x a^4096|
// above 2^-34, far from subnormals. In fma, x -> 1 - |a| x swings about 1/2; 16-bit types take |a|
// = 1 there, because rounding would pull all elements to 1/2.
double factor(Op op, Dtype dtype) {
  if (dtype == Dtype::fp64 || dtype == Dtype::fp32) return -(1 - 0x1p-12);
  if (op == Op::fma || op == Op::mul_add) return -1;
  return -(1 - std::ldexp(1.0, -info_of(dtype).significand_bits));
}

// Half a last place at 1: elements below 1 move with every op, those above keep their random bits
// (a larger step would drive all of them to one value).
double small_step(Dtype dtype) {
  const bool wide = dtype == Dtype::fp64 || dtype == Dtype::fp32;
  return wide ? 0x1p-12 : std::ldexp(1.0, -info_of(dtype).significand_bits);
}

/// The dtype to which every op rounds in the end.
Dtype rounded_each_op(const Case& c, Arithmetic arithmetic) {
  return c.fusion == Fusion::unfused ? c.dtype : arithmetic.dtype;
}

}  // namespace

Operands operands_of(Op op, Dtype dtype) {
  if (info_of(dtype).integer) return {-1640531535.0, 2135587861.0};  // odd: every op is a bijection
  if (op == Op::add) return {1, small_step(dtype)};
  return {factor(op, dtype), op == Op::mul ? 0.0 : 1.0};
}

Operands counting_operands(const Case& c, Arithmetic arithmetic) {
  if (info_of(c.dtype).integer) return operands_of(c.op(), c.dtype);
  const Dtype each = rounded_each_op(c, arithmetic);
  const int bits = info_of(each).significand_bits;
  const auto repeat = static_cast<double>(c.repeat);
  if (c.op() == Op::add) {
    // As far as a start value in all; never less than the last place of the start values.
    return {1, std::ldexp(1.0, -std::min(bits - 1, std::ilogb(repeat)))};
  }
  // Every op takes the same share of the magnitude, at least a last place: so much that all ops
  // together use the exponents there are. 0.7: a factor with more bits than one.
  const double binades = c.dtype == Dtype::fp16 ? 8 : 60;
  const double share = std::min(0.5, binades * 0.69 / repeat);
  const double a = round_to(each, 1 - std::max(0.7 * share, std::ldexp(1.0, -bits)));
  // Where the magnitudes end, so that terms neither vanish beside them nor stand for them.
  const double end = std::pow(a, repeat);
  return {-a, c.op() == Op::mul ? 0 : std::ldexp(1.0, std::ilogb(end) - 1)};
}

std::uint64_t countable_repeat(const Case& c, Arithmetic arithmetic) {
  const int bits = info_of(rounded_each_op(c, arithmetic)).significand_bits;
  // Every root halves the distance from 1, until it is less than a last place.
  if (c.op() == Op::sqrt) return static_cast<std::uint64_t>(bits) - 4;
  if (c.op() != Op::add || bits == 0 || bits >= 24) return max_repeat;
  return std::uint64_t{3} << (bits - 1);  // from -1 to 2 in last places
}

double random_element(Dtype dtype, std::uint64_t seed, std::uint64_t index) {
  return decode(dtype, random_bits(dtype, seed, index));
}

std::uint64_t bits_at(const void* memory, std::uint64_t index, std::size_t element_bytes) {
  std::uint64_t bits = 0;  // little endian: the low bytes
  std::memcpy(&bits, static_cast<const char*>(memory) + index * element_bytes, element_bytes);
  return bits;
}

double random_integer(std::uint64_t seed, std::uint64_t index) {
  const std::uint32_t key = random_key(seed, static_cast<std::uint32_t>(index >> 32));
  return random_int8(random_word(key, static_cast<std::uint32_t>(index)));
}

double reference_chain(const Case& c, Arithmetic arithmetic, double x) {
  return reference_chain(c, arithmetic, operands_of(c.op(), c.dtype), x);
}

double reference_chain(const Case& c, Arithmetic arithmetic, Operands operands, double x) {
  const bool integer = info_of(c.dtype).integer;
  const bool stored_each_step = c.fusion == Fusion::unfused && arithmetic.dtype != c.dtype;
  for (std::uint64_t i = 0; i < c.repeat; ++i) {
    x = integer ? integer_op(c.op(), operands, x) : float_op(c.op(), operands, arithmetic, x);
    if (stored_each_step) x = round_to(c.dtype, x);
  }
  return round_to(c.dtype, x);
}

double exact_chain(const Case& c, Operands operands, double x) {
  Case exact = c;
  if (!info_of(c.dtype).integer) exact.dtype = Dtype::fp64;
  return reference_chain(exact, {exact.dtype}, operands, x);
}

bool Expected::tells() const {
  constexpr double shows_nothing = 0x1p-6;
  return std::isfinite(value) && error <= shows_nothing * (std::fabs(value) + shows_nothing);
}

void Deviation::add(double exact, double got) {
  difference_ = std::max(difference_, std::fabs(exact - got));
  largest_ = std::max(largest_, std::fabs(exact));
}

}  // namespace kernels
