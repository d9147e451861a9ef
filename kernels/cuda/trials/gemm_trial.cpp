#include "kernels/cuda/trials/gemm_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/bodies/sparse.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/gemm_product.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {
namespace {

// Rows and columns of D that are compared, all their crossings: 5 ms on the host at k = 8192.
constexpr std::uint64_t checked_lines = 20;
constexpr int fill_threads = 256;

class GemmTrial final : public LaunchTrial {
 public:
  GemmTrial(Gpu& gpu, CublasLt& library, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        size_(gemm_size(c, gpu.multiprocessors())),
        result_(gemm_result(c.dtype)),
        product_(library, c.dtype, size_, gemm_rank(c)),
        name_(library.name()),
        seed_a_(gpu.next_seed()),
        seed_b_(gpu.next_seed()),
        a_(take(size_.m * size_.k, c.dtype)),
        b_(take(size_.n * size_.k, c.dtype)),
        d_(take(size_.m * size_.n, result_)),
        workspace_(gpu.pool().take(static_cast<double>(product_.workspace_bytes()))) {
    fill();
  }

  Work work() const override { return {.flops = size_.flops(), .bytes = 0, .launches = 1}; }

  /// On matrices whose product is exact, all of it written and sampled rows and columns compared;
  /// then the data of the case is back.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    fill_sparse(a_, size_.m, seed_a_, gemm_a_bits(case_.dtype), 1 << 16);
    fill_sparse(b_, size_.n, seed_b_, 0, gemm_density(size_.k));
    Check check =
        check_coverage(gpu_, d_, static_cast<std::uint32_t>(size_of(result_)), [&] { once(stop); });
    if (check.ok) check = compare();
    fill();
    return check;
  }

 private:
  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override { return 1; }
  std::uint64_t wave() const override { return 1; }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    product_.run(a_.data(), b_.data(), d_.data(), workspace_.data(), stream);
  }
  std::string remark() const override {
    return fmt::format("{}: {} x {} x {}, algorithm {} of {}", name_, size_.m, size_.n, size_.k,
                       gemm_rank(case_) + 1, product_.offered());
  }

  Buffer take(std::uint64_t elements, Dtype dtype) {
    return gpu_.pool().take(static_cast<double>(elements) * static_cast<double>(size_of(dtype)));
  }

  // What is timed.
  void fill() {
    if (case_.data == Data::random) {
      gpu_.fill(a_.data(), case_.dtype, size_.m * size_.k, seed_a_);
      gpu_.fill(b_.data(), case_.dtype, size_.n * size_.k, seed_b_);
      return;
    }
    for (const Buffer* const buffer : {&a_, &b_}) {
      check(cudaMemsetAsync(buffer->data(), 0, buffer->bytes(), gpu_.stream()),
            "filling device memory");
    }
  }

  void fill_sparse(const Buffer& buffer, std::uint64_t lines, std::uint64_t seed, int bits,
                   std::uint32_t density) {
    launch(helper_kernels().sparse, 32ULL * static_cast<unsigned>(gpu_.multiprocessors()),
           fill_threads,
           SparseArguments{buffer.data(), lines * size_.k, seed, case_.dtype, bits, density},
           gpu_.stream());
    gpu_.timer().finish();
  }

  // Row i of A or column i of B.
  std::vector<double> line(std::uint64_t i, std::uint64_t seed, int bits,
                           std::uint32_t density) const {
    std::vector<double> values(size_.k);
    for (std::uint64_t l = 0; l < size_.k; ++l) {
      values[l] =
          decode(case_.dtype, sparse_bits(case_.dtype, seed, i * size_.k + l, bits, density));
    }
    return values;
  }

  // The first, the last and pseudorandom ones between.
  static std::vector<std::uint64_t> sampled(std::uint64_t lines, std::uint64_t seed) {
    std::vector<std::uint64_t> result{0, lines - 1};
    for (std::uint64_t i = 2; i < std::min(lines, checked_lines); ++i) {
      result.push_back(random_bits(Dtype::int32, seed, i) % lines);
    }
    return result;
  }

  Check compare() const {
    std::vector<std::vector<double>> rows;
    const std::vector<std::uint64_t> is = sampled(size_.m, seed_a_);
    for (const std::uint64_t i : is) {
      rows.push_back(line(i, seed_a_, gemm_a_bits(case_.dtype), 1 << 16));
    }
    for (const std::uint64_t j : sampled(size_.n, seed_b_)) {
      const std::vector<double> column = line(j, seed_b_, 0, gemm_density(size_.k));
      const std::size_t bytes = size_of(result_);
      const auto got =
          read_bytes(gpu_, d_.as<const unsigned char>() + j * size_.m * bytes, size_.m * bytes);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        double expected = 0;
        for (std::uint64_t l = 0; l < size_.k; ++l) expected += rows[r][l] * column[l];
        const double value = decode(result_, element_bits(got, bytes, is[r]));
        if (value != expected) {
          return {false, fmt::format("row {}, column {} of the product: expected {}, got {}", is[r],
                                     j, expected, value)};
        }
      }
    }
    return {true, ""};
  }

  GemmSize size_;
  Dtype result_;
  GemmProduct product_;
  std::string name_;
  std::uint64_t seed_a_;
  std::uint64_t seed_b_;
  Buffer a_;
  Buffer b_;
  Buffer d_;
  Buffer workspace_;
};

}  // namespace

std::unique_ptr<Trial> make_gemm(Gpu& gpu, CublasLt& library, const Case& c) {
  return std::make_unique<GemmTrial>(gpu, library, c);
}

}  // namespace kernels::cuda
