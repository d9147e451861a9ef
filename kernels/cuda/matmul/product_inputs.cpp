#include "kernels/cuda/matmul/product_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/sparse.hpp"
#include "kernels/cuda/matmul/gemm_shape.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/families/matmul/matmul_reference.hpp"

namespace kernels::cuda {
namespace {

constexpr int fill_threads = 256;
constexpr std::uint32_t everywhere = 1 << 16;
constexpr int bias_bits = 4;  ///< as large as the sums of a few products

Buffer take(Gpu& gpu, const Factor& factor) {
  return gpu.pool().take(static_cast<double>(factor.elements()) *
                         static_cast<double>(size_of(factor.dtype)));
}

void launch_sparse(Gpu& gpu, const SparseArguments& arguments) {
  launch(helper_kernels().sparse, 32ULL * static_cast<unsigned>(gpu.multiprocessors()),
         fill_threads, arguments, gpu.stream());
  gpu.timer().finish();
}

}  // namespace

ProductBias::ProductBias(Gpu& gpu, Dtype dtype, std::uint64_t columns)
    : gpu_(gpu),
      dtype_(dtype),
      columns_(columns),
      seed_(gpu.next_seed()),
      row_(gpu.pool().take(static_cast<double>(columns) * static_cast<double>(size_of(dtype)))) {}

void ProductBias::fill(Data data) {
  holds_ = data == Data::zeros ? Holds::zeros : Holds::random;
  if (data == Data::zeros) return gpu_.clear(row_);
  gpu_.fill(row_.data(), dtype_, columns_, seed_);
}

void ProductBias::fill_exact() {
  holds_ = Holds::exact;
  launch_sparse(gpu_, {row_.data(), columns_, seed_, dtype_, bias_bits, everywhere});
}

double ProductBias::at(std::uint64_t column) const {
  if (holds_ == Holds::zeros) return 0;
  return decode(dtype_, holds_ == Holds::exact
                            ? sparse_bits(dtype_, seed_, column, bias_bits, everywhere)
                            : random_bits(dtype_, seed_, column));
}

ProductInputs::ProductInputs(Gpu& gpu, const Factor& p, const Factor& q)
    : gpu_(gpu),
      factor_p_(p),
      factor_q_(q),
      seed_p_(gpu.next_seed()),
      seed_q_(gpu.next_seed()),
      p_(take(gpu, p)),
      q_(take(gpu, q)) {}

void ProductInputs::fill(Data data) {
  holds_ = data == Data::zeros ? Holds::zeros : Holds::random;
  if (data == Data::random) {
    gpu_.fill(p_.data(), factor_p_.dtype, factor_p_.elements(), seed_p_);
    gpu_.fill(q_.data(), factor_q_.dtype, factor_q_.elements(), seed_q_);
    clear_behind();
    return;
  }
  gpu_.clear(p_);
  gpu_.clear(q_);
}

void ProductInputs::fill_exact() {
  holds_ = Holds::exact;
  const Dtype dtype = factor_p_.dtype;
  launch_sparse(gpu_,
                {p_.data(), factor_p_.elements(), seed_p_, dtype, gemm_a_bits(dtype), everywhere});
  launch_sparse(gpu_,
                {q_.data(), factor_q_.elements(), seed_q_, dtype, 0, gemm_density(factor_q_.k)});
  clear_behind();
}

// The ends of all lines, or of all products.
void ProductInputs::clear_behind() {
  const Factor& p = factor_p_;
  if (p.depth() == p.k) return;
  const bool in_lines = p.layout == Layout::lines;
  const std::uint64_t from = p.at(0, 0, p.k), all = in_lines ? p.pitch() : p.step();
  const std::size_t each = size_of(p.dtype);
  check(cudaMemset2DAsync(p_.as<unsigned char>() + from * each, all * each, 0, (all - from) * each,
                          p.elements() / all, gpu_.stream()),
        "filling device memory");
}

std::vector<double> ProductInputs::line(bool of_p, std::uint64_t product, std::uint64_t i) const {
  const Factor& factor = of_p ? factor_p_ : factor_q_;
  std::vector<double> values(factor.k);
  if (holds_ == Holds::zeros) return values;
  const Dtype dtype = factor.dtype;
  const std::uint64_t seed = of_p ? seed_p_ : seed_q_;
  const int bits = of_p ? gemm_a_bits(dtype) : 0;
  const std::uint32_t density = of_p ? everywhere : gemm_density(factor.k);
  for (std::uint64_t l = 0; l < factor.k; ++l) {
    const std::uint64_t at = factor.at(product, i, l);
    values[l] = decode(dtype, holds_ == Holds::exact ? sparse_bits(dtype, seed, at, bits, density)
                                                     : random_bits(dtype, seed, at));
  }
  return values;
}

Check ProductInputs::compare(std::uint64_t product, const Buffer& d, Dtype result,
                             const std::function<Check(const Crossing&)>& judge) const {
  const auto columns = sampled_lines(factor_p_.lines, seed_p_, product_tile);
  std::vector<std::vector<double>> of_p;
  for (const std::uint64_t column : columns) of_p.push_back(line(true, product, column));
  const std::size_t each = size_of(result), bytes = factor_p_.lines * each;
  for (const std::uint64_t row : sampled_lines(factor_q_.lines, seed_q_, product_tile)) {
    const std::vector<double> of_q = line(false, product, row);
    const auto got = read_bytes(
        gpu_, d.as<const unsigned char>() + (product * factor_q_.lines + row) * bytes, bytes);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = decode(result, bits_at(got.data(), columns[i], each));
      const Check check = judge({product, row, columns[i], of_q, of_p[i], value});
      if (!check.ok) return check;
    }
  }
  return {true, ""};
}

Check ProductInputs::compare(const Buffer& d, Dtype result,
                             const std::function<Check(const Crossing&)>& judge) const {
  for (const std::uint64_t product : sampled_lines(factor_p_.batch, seed_p_)) {
    Check check = compare(product, d, result, judge);
    if (check.ok) continue;
    if (factor_p_.batch > 1) check.why = fmt::format("product {}: {}", product, check.why);
    return check;
  }
  return {true, ""};
}

Check ProductInputs::compare_exact(const Buffer& d, Dtype result, bool transposed,
                                   const ProductBias* bias) const {
  return compare(d, result, [&](const Crossing& at) -> Check {
    double expected = 0;
    for (std::uint64_t l = 0; l < at.of_q.size(); ++l) expected += at.of_q[l] * at.of_p[l];
    if (bias != nullptr) expected = std::max(expected + bias->at(at.column), 0.0);
    if (at.got == expected) return {true, ""};
    return {false, fmt::format("row {}, column {} of the product: expected {}, got {}",
                               transposed ? at.column : at.row, transposed ? at.row : at.column,
                               expected, at.got)};
  });
}

}  // namespace kernels::cuda
