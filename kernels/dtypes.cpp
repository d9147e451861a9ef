#include "kernels/dtypes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace kernels {
namespace {

/// IEEE-like layout: sign, exponent, fraction. `largest` is the largest finite value.
struct Layout {
  int exponent_bits;
  int fraction_bits;
  double largest;
  bool saturates;  // fp8 E4M3 (OCP 8-bit formats, rev. 1.0): no infinity, one NaN pattern

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int lowest_exponent() const { return 1 - bias(); }
};

/// In the order of Dtype, which has integers behind these.
constexpr std::array<Layout, 6> layouts{{
    {11, 52, std::numeric_limits<double>::max(), false},  // fp64
    {8, 23, 0x1.fffffep127, false},                       // fp32
    {8, 10, 0x1.ffcp127, false},                          // tf32
    {5, 10, 65504.0, false},                              // fp16
    {8, 7, 0x1.fep127, false},                            // bf16
    {4, 3, 448.0, true},                                  // fp8
}};
static_assert(layouts[static_cast<std::size_t>(Dtype::tf32)].exponent_bits == 8 &&
              layouts[static_cast<std::size_t>(Dtype::fp8)].saturates);
const Layout& layout_of(Dtype dtype) { return layouts.at(static_cast<std::size_t>(dtype)); }

// Drops all but `kept` fraction bits of a normal double, ties to even; a carry runs into the
// exponent as it should.
double round_fraction(double value, int kept) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int dropped = 52 - kept;
  const std::uint64_t odd = (bits >> dropped) & 1U;
  const std::uint64_t half = (std::uint64_t{1} << (dropped - 1)) - 1;
  return std::bit_cast<double>((bits + half + odd) & ~((std::uint64_t{1} << dropped) - 1));
}

double round_small_float(const Layout& layout, double value) {
  if (!std::isfinite(value)) {
    return std::isinf(value) && layout.saturates ? std::copysign(layout.largest, value) : value;
  }
  double rounded;
  if (std::fabs(value) < std::ldexp(1.0, layout.lowest_exponent())) {
    // Adding and subtracting 1.5 * 2^52 quanta leaves whole quanta: the fixed point of subnormals.
    const double magic = std::ldexp(1.5, 52 + layout.lowest_exponent() - layout.fraction_bits);
    rounded = std::copysign((std::fabs(value) + magic) - magic, value);
  } else {
    rounded = round_fraction(value, layout.fraction_bits);
  }
  if (std::fabs(rounded) <= layout.largest) return rounded;
  return std::copysign(layout.saturates ? layout.largest : std::numeric_limits<double>::infinity(),
                       value);
}

double wrap_integer(double value, int bits) {
  const double range = std::ldexp(1.0, bits);
  double wrapped = std::fmod(std::nearbyint(value), range);
  if (wrapped >= range / 2) wrapped -= range;
  if (wrapped < -range / 2) wrapped += range;
  return wrapped + 0.0;  // no negative zero
}

std::uint64_t encode_float(const Layout& layout, double value) {
  const std::uint64_t sign = std::signbit(value) ? 1 : 0;
  const int width = layout.exponent_bits + layout.fraction_bits;
  const std::uint64_t all_exponent = (std::uint64_t{1} << layout.exponent_bits) - 1;
  std::uint64_t magnitude = 0;
  if (std::isnan(value)) {
    magnitude = layout.saturates ? (std::uint64_t{1} << width) - 1
                                 : (all_exponent << layout.fraction_bits) |
                                       (std::uint64_t{1} << (layout.fraction_bits - 1));
  } else if (std::isinf(value)) {
    magnitude = all_exponent << layout.fraction_bits;
  } else if (value != 0) {
    const int exponent = std::max(std::ilogb(value), layout.lowest_exponent());
    // In quanta of this exponent; a normal number has the implicit bit 2^fraction_bits, which adds
    // 1 to the field.
    const double quanta = std::ldexp(std::fabs(value), layout.fraction_bits - exponent);
    magnitude =
        (static_cast<std::uint64_t>(exponent - layout.lowest_exponent()) << layout.fraction_bits) +
        static_cast<std::uint64_t>(quanta);
  }
  return (sign << width) | magnitude;
}

double decode_float(const Layout& layout, std::uint64_t bits) {
  const int width = layout.exponent_bits + layout.fraction_bits;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << layout.fraction_bits) - 1);
  const std::uint64_t all_exponent = (std::uint64_t{1} << layout.exponent_bits) - 1;
  const std::uint64_t exponent = (bits >> layout.fraction_bits) & all_exponent;
  const double sign = ((bits >> width) & 1U) != 0 ? -1.0 : 1.0;
  if (layout.saturates) {
    if ((bits & ((std::uint64_t{1} << width) - 1)) == (std::uint64_t{1} << width) - 1) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  } else if (exponent == all_exponent) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const int quantum = layout.lowest_exponent() - layout.fraction_bits;
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(fraction), quantum);
  const std::uint64_t whole = fraction + (std::uint64_t{1} << layout.fraction_bits);
  return sign * std::ldexp(static_cast<double>(whole), quantum + static_cast<int>(exponent) - 1);
}

}  // namespace

std::optional<Dtype> dtype_named(std::string_view name) {
  for (const DtypeInfo& row : dtypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

double round_to(Dtype dtype, double value) {
  if (dtype == Dtype::fp64) return value;
  if (dtype == Dtype::fp32) return static_cast<float>(value);  // as the host does it
  if (dtype == Dtype::int32) return wrap_integer(value, 32);
  if (dtype == Dtype::int8) return wrap_integer(value, 8);
  return round_small_float(layout_of(dtype), value);
}

double decode(Dtype dtype, std::uint64_t bits) {
  if (dtype == Dtype::fp64) return std::bit_cast<double>(bits);
  if (dtype == Dtype::tf32 || dtype == Dtype::fp32)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (dtype == Dtype::int32) return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  if (dtype == Dtype::int8) return static_cast<std::int8_t>(static_cast<std::uint8_t>(bits));
  return decode_float(layout_of(dtype), bits);
}

std::uint64_t encode(Dtype dtype, double value) {
  const double rounded = round_to(dtype, value);
  if (dtype == Dtype::fp64) return std::bit_cast<std::uint64_t>(rounded);
  if (dtype == Dtype::int32) return static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded));
  if (dtype == Dtype::int8) return static_cast<std::uint8_t>(static_cast<std::int8_t>(rounded));
  if (dtype == Dtype::tf32) return encode_float(layout_of(Dtype::fp32), rounded);
  return encode_float(layout_of(dtype), rounded);
}

}  // namespace kernels
