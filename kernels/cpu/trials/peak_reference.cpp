#include "kernels/cpu/trials/peak_reference.hpp"

#include <array>
#include <vector>

#include "kernels/families/peak/peak_start.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_reference.hpp"

namespace kernels::cpu {
namespace {

constexpr int start_values = 64;  // peak_start() has that many different ones

std::uint32_t word_of(double value) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

std::uint32_t low_half(std::uint32_t word) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(word)));
}

/// A lane that is a pair of int16: the products of both halves, summed.
std::uint32_t pair_product(std::uint32_t x, std::uint32_t a) {
  return low_half(x) * low_half(a) + low_half(x >> 16) * low_half(a >> 16);
}

std::uint64_t elements_per_lane(const Row& row) {
  switch (row.summing) {
    case Summing::no:
      return 1;
    case Summing::pairs:
      return 2;
    case Summing::dots:
      return sizeof(float) / size_of(row.dtype);
  }
  return 1;
}

/// A chain that grows by the same sum of products each time: exact, whatever the order.
double sum_of_dots(const Row& row, std::uint64_t repeat, double a, double b, double first) {
  const auto products = static_cast<double>(repeat * elements_per_lane(row));
  if (row.arithmetic != Dtype::int32) {
    return first + products * round_to(row.dtype, a) * round_to(row.dtype, b);
  }
  // Unsigned times signed bytes (vpdpbusd).
  const auto left = static_cast<std::uint8_t>(word_of(a));
  const auto right = static_cast<std::int8_t>(word_of(b));
  return round_to(Dtype::int32, first + products * left * right);
}

double first_value(const Row& row, int chain, PeakStart start) {
  if (info_of(row.arithmetic).integer) return peak_start<std::int32_t>(chain, start);
  return static_cast<double>(peak_start<float>(chain, start));
}

double last_value(const Isa& isa, const Row& row, std::uint64_t repeat, double a, double b,
                  double first) {
  if (row.summing == Summing::dots) return sum_of_dots(row, repeat, a, b, first);
  if (row.dtype == Dtype::int8) {  // pairs
    std::uint32_t x = word_of(first);
    for (std::uint64_t i = 0; i < repeat; ++i) {
      if (row.op != Op::add) x = pair_product(x, word_of(a));
      if (row.op != Op::mul) x += word_of(b);
    }
    return static_cast<std::int32_t>(x);
  }
  const Case chain{.ops = row.op, .dtype = row.arithmetic, .repeat = repeat};
  const bool integer = info_of(row.arithmetic).integer;
  const Operands operands =
      integer ? Operands{a, b} : Operands{round_to(row.arithmetic, a), round_to(row.arithmetic, b)};
  return reference_chain(chain, {row.arithmetic, isa.fused_multiply_add}, operands, first);
}

Expected vector_reference(const Isa& isa, const Row& row, const PeakFunction& function,
                          std::uint64_t repeat, double a, double b, PeakStart start) {
  std::array<double, start_values> last{};
  for (int i = 0; i < start_values; ++i) {
    last[i] = last_value(isa, row, repeat, a, b, first_value(row, i, start));
  }
  const std::uint64_t lanes = function.chains / elements_per_lane(row);
  double sum = 0;
  for (std::uint64_t i = 0; i < lanes; ++i) sum += last[i % start_values];
  return {sum, 0};
}

/// Two A tiles by B; its columns 0..15 and 16..31 lie apart, in the order in which the tile unit
/// multiplies.
template <class Element>
Expected matrix_reference(const Row& row, std::uint64_t repeat, PeakStart start) {
  constexpr std::size_t elements = tile_rows * tile_row_bytes / sizeof(Element);
  constexpr std::size_t depth = tile_row_bytes / sizeof(Element);
  constexpr std::size_t group = 4 / sizeof(Element);
  constexpr std::size_t half = tile_columns / 2;
  std::vector<double> a(elements), b(depth * tile_columns);
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t column = 0; column < tile_columns; ++column) {
      const std::size_t tile = 2 + column / half;
      const std::size_t at = (k / group * half + column % half) * group + k % group;
      b[k * tile_columns + column] =
          decode(row.dtype, peak_bits<Element>(tile * elements + at, start));
    }
  }
  Expected result;
  for (std::size_t tile = 0; tile < 2; ++tile) {
    for (std::size_t i = 0; i < elements; ++i)
      a[i] = decode(row.dtype, peak_bits<Element>(tile * elements + i, start));
    const auto d = tile_reference(row.dtype, Units::matrix, a, b, repeat);
    for (std::size_t i = 0; i < d.value.size(); ++i) {
      result.value += d.value[i];
      result.error += d.tolerance[i];
    }
  }
  return result;
}

}  // namespace

Expected peak_reference(const Isa& isa, const Row& row, const PeakFunction& function,
                        std::uint64_t repeat, double a, double b, PeakStart start) {
  if (row.units == Units::vector) return vector_reference(isa, row, function, repeat, a, b, start);
  return size_of(row.dtype) == 1 ? matrix_reference<std::uint8_t>(row, repeat, start)
                                 : matrix_reference<std::uint16_t>(row, repeat, start);
}

}  // namespace kernels::cpu
