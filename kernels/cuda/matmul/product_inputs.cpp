#include "kernels/cuda/matmul/product_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/sparse.hpp"
#include "kernels/cuda/matmul/gemm_shape.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/families/matmul_reference.hpp"

namespace kernels::cuda {
namespace {

constexpr int fill_threads = 256;
constexpr std::uint32_t everywhere = 1 << 16;
constexpr int bias_bits = 4;  ///< as large as the sums of a few products

std::uint64_t to_whole_pieces(std::uint64_t k, Dtype dtype) {
  const std::uint64_t piece = sizeof(Vector) / size_of(dtype);
  return (k + piece - 1) / piece * piece;
}

Buffer take(Gpu& gpu, std::uint64_t lines, std::uint64_t depth, Dtype dtype) {
  return gpu.pool().take(static_cast<double>(lines) * static_cast<double>(depth) *
                         static_cast<double>(size_of(dtype)));
}

void launch_sparse(Gpu& gpu, const SparseArguments& arguments) {
  launch(helper_kernels().sparse, 32ULL * static_cast<unsigned>(gpu.multiprocessors()),
         fill_threads, arguments, gpu.stream());
  gpu.timer().finish();
}

void clear(Gpu& gpu, const Buffer& buffer) {
  check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), gpu.stream()), "filling device memory");
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
  if (data == Data::zeros) return clear(gpu_, row_);
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

ProductInputs::ProductInputs(Gpu& gpu, Dtype dtype, std::uint64_t p_lines, std::uint64_t q_lines,
                             std::uint64_t k)
    : gpu_(gpu),
      dtype_(dtype),
      p_lines_(p_lines),
      q_lines_(q_lines),
      k_(k),
      depth_(to_whole_pieces(k, dtype)),
      seed_p_(gpu.next_seed()),
      seed_q_(gpu.next_seed()),
      p_(take(gpu, p_lines, depth_, dtype)),
      q_(take(gpu, q_lines, depth_, dtype)) {}

void ProductInputs::fill(Data data) {
  holds_ = data == Data::zeros ? Holds::zeros : Holds::random;
  if (data == Data::random) {
    gpu_.fill(p_.data(), dtype_, p_lines_ * depth_, seed_p_);
    gpu_.fill(q_.data(), dtype_, q_lines_ * depth_, seed_q_);
    clear_behind();
    return;
  }
  clear(gpu_, p_);
  clear(gpu_, q_);
}

void ProductInputs::fill_exact() {
  holds_ = Holds::exact;
  fill_sparse(p_, p_lines_, seed_p_, gemm_a_bits(dtype_), everywhere);
  fill_sparse(q_, q_lines_, seed_q_, 0, gemm_density(k_));
  clear_behind();
}

void ProductInputs::fill_sparse(const Buffer& buffer, std::uint64_t lines, std::uint64_t seed,
                                int bits, std::uint32_t density) {
  launch_sparse(gpu_, {buffer.data(), lines * depth_, seed, dtype_, bits, density});
}

void ProductInputs::clear_behind() {
  if (depth_ == k_) return;
  const std::size_t each = size_of(dtype_);
  check(cudaMemset2DAsync(p_.as<unsigned char>() + k_ * each, depth_ * each, 0,
                          (depth_ - k_) * each, p_lines_, gpu_.stream()),
        "filling device memory");
}

std::vector<double> ProductInputs::line(bool of_p, std::uint64_t i) const {
  std::vector<double> values(k_);
  if (holds_ == Holds::zeros) return values;
  const std::uint64_t seed = of_p ? seed_p_ : seed_q_;
  const int bits = of_p ? gemm_a_bits(dtype_) : 0;
  const std::uint32_t density = of_p ? everywhere : gemm_density(k_);
  for (std::uint64_t l = 0; l < k_; ++l) {
    const std::uint64_t at = i * depth_ + l;
    values[l] = decode(dtype_, holds_ == Holds::exact ? sparse_bits(dtype_, seed, at, bits, density)
                                                      : random_bits(dtype_, seed, at));
  }
  return values;
}

Check ProductInputs::compare(const Buffer& d, Dtype result,
                             const std::function<Check(const Crossing&)>& judge) const {
  const auto columns = sampled_lines(p_lines_, seed_p_, product_tile);
  std::vector<std::vector<double>> of_p;
  for (const std::uint64_t column : columns) of_p.push_back(line(true, column));
  const std::size_t each = size_of(result);
  for (const std::uint64_t row : sampled_lines(q_lines_, seed_q_, product_tile)) {
    const std::vector<double> of_q = line(false, row);
    const auto got = read_bytes(gpu_, d.as<const unsigned char>() + row * p_lines_ * each,
                                p_lines_ * each);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = decode(result, element_bits(got, each, columns[i]));
      const Check check = judge({row, columns[i], of_q, of_p[i], value});
      if (!check.ok) return check;
    }
  }
  return {true, ""};
}

Check ProductInputs::compare_exact(const Buffer& d, Dtype result, bool transposed,
                                   const ProductBias* bias) const {
  return compare(d, result, [&](const Crossing& at) -> Check {
    double expected = 0;
    for (std::uint64_t l = 0; l < k_; ++l) expected += at.of_q[l] * at.of_p[l];
    if (bias != nullptr) expected = std::max(expected + bias->at(at.column), 0.0);
    if (at.got == expected) return {true, ""};
    return {false, fmt::format("row {}, column {} of the product: expected {}, got {}",
                               transposed ? at.column : at.row, transposed ? at.row : at.column,
                               expected, at.got)};
  });
}

}  // namespace kernels::cuda
