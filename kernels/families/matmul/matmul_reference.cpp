#include "kernels/families/matmul/matmul_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/families/reference.hpp"
#include "kernels/random.hpp"

namespace kernels {
namespace {

constexpr std::size_t most_lines = 16;

std::uint32_t key_at(std::uint64_t seed, std::uint64_t index) {
  return random_key(seed, static_cast<std::uint32_t>(index >> 32));
}

/// Integers at `first`, `first` + `step`, ... times a vector. Exact: sums stay below 2^53.
double dot(std::uint64_t seed, std::uint64_t first, std::uint64_t step,
           std::span<const double> with) {
  const std::uint64_t last = first + step * (with.size() - 1);
  double sum = 0;
  if (first >> 32 != last >> 32) {
    for (std::size_t i = 0; i < with.size(); ++i)
      sum += random_integer(seed, first + i * step) * with[i];
    return sum;
  }
  const std::uint32_t key = key_at(seed, first);
  const auto low = static_cast<std::uint32_t>(first), stride = static_cast<std::uint32_t>(step);
  for (std::uint32_t i = 0; i < with.size(); ++i)
    sum += random_int8(random_word(key, low + i * stride)) * with[i];
  return sum;
}

template <class Number>
double dot_with(const void* row, std::span<const double> with) {
  const auto* values = static_cast<const Number*>(row);
  double sum = 0;
  for (std::size_t i = 0; i < with.size(); ++i) sum += static_cast<double>(values[i]) * with[i];
  return sum;
}

}  // namespace

IntegerProduct::IntegerProduct(MatmulSize size, std::uint64_t seed_a, std::uint64_t seed_b,
                               std::uint64_t index)
    : size_(size),
      seed_a_(seed_a),
      seed_b_(seed_b),
      first_a_(index * size.m * size.k),
      first_b_(index * size.k * size.n),
      vector_(size.n) {
  for (std::uint64_t j = 0; j < size.n; ++j)
    vector_[j] = 2 * random_integer(seed_a ^ ~seed_b, j) + 1;
}

double IntegerProduct::inner(std::uint64_t row) const {
  return dot(seed_b_, first_b_ + size_.at_b(row, 0), size_.at_b(0, 1), vector_);
}

double IntegerProduct::outer(std::uint64_t row, std::span<const double> inner) const {
  return dot(seed_a_, first_a_ + size_.at_a(row, 0), size_.at_a(0, 1), inner);
}

std::vector<double> IntegerProduct::bias(bool positive) const {
  constexpr double largest_product = 64;  // of -8 and -8
  const double beyond_sums = largest_product * static_cast<double>(size_.k) + 9;
  std::vector<double> row(size_.n);
  for (std::uint64_t j = 0; j < size_.n; ++j)
    row[j] = random_integer(seed_b_ ^ ~seed_a_, j) + (positive ? beyond_sums : -beyond_sums);
  return row;
}

double IntegerProduct::times_vector(std::span<const double> row) const {
  return std::inner_product(row.begin(), row.end(), vector_.begin(), 0.0);
}

double IntegerProduct::times_vector(Dtype dtype, const void* row_of_c) const {
  if (dtype == Dtype::fp64) return dot_with<double>(row_of_c, vector_);
  if (dtype == Dtype::int32) return dot_with<std::int32_t>(row_of_c, vector_);
  return dot_with<float>(row_of_c, vector_);
}

Check IntegerProduct::wrong_element(std::uint64_t row, Dtype dtype, const void* row_of_c,
                                    std::span<const double> bias) const {
  std::vector<double> of_a(size_.k);
  for (std::uint64_t l = 0; l < size_.k; ++l)
    of_a[l] = random_integer(seed_a_, first_a_ + size_.at_a(row, l));
  for (std::uint64_t j = 0; j < size_.n; ++j) {
    Expected expected;
    for (std::uint64_t l = 0; l < size_.k; ++l)
      expected.value += of_a[l] * random_integer(seed_b_, first_b_ + size_.at_b(l, j));
    if (!bias.empty()) expected.value = std::max(expected.value + bias[j], 0.0);
    const double got = decode(dtype, bits_at(row_of_c, j, size_of(dtype)));
    if (got != expected.value) return wrong_at(row, j, expected, got);
  }
  return {.ok = false, .why = fmt::format("row {} of the product was wrong for a moment", row)};
}

Expected matmul_reference(Dtype dtype, std::span<const double> column,
                          const std::function<double(std::uint64_t)>& row, Units units,
                          std::optional<double> bias) {
  long double sum = 0;  // fp64 itself must not be compared with as much rounding
  double magnitude = 0;
  for (std::uint64_t l = 0; l < column.size(); ++l) {
    const double factor = row(l);
    sum += static_cast<long double>(factor) * column[l];
    magnitude += std::fabs(factor * column[l]);
  }
  if (!bias)
    return {static_cast<double>(sum), matmul_tolerance(dtype, column.size(), units) * magnitude};
  sum += *bias;
  magnitude += std::fabs(*bias);
  return {std::max(static_cast<double>(sum), 0.0),
          matmul_tolerance(dtype, column.size() + 1, units) * magnitude};
}

std::vector<std::uint64_t> sampled_lines(std::uint64_t lines, std::uint64_t seed,
                                         std::uint64_t tile) {
  std::vector<std::uint64_t> sampled{0, lines - 1, tile - 1, tile};
  for (std::uint64_t i = 0; sampled.size() < most_lines; ++i)
    sampled.push_back(random_bits(Dtype::int32, seed, i) % lines);
  std::erase_if(sampled, [&](std::uint64_t one) { return one >= lines; });
  std::ranges::sort(sampled);
  const auto repeated = std::ranges::unique(sampled);
  sampled.erase(repeated.begin(), repeated.end());
  return sampled;
}

Check wrong_at(std::uint64_t row, std::uint64_t column, const Expected& expected, double got) {
  return {.ok = false,
          .why = fmt::format(
              "row {}, column {} of the product: expected {:.9g} within {:.2g}, got {:.9g}", row,
              column, expected.value, expected.error, got)};
}

}  // namespace kernels
