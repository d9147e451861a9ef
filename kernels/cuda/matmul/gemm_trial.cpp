#include "kernels/cuda/matmul/gemm_trial.hpp"

#include <fmt/format.h>

#include "kernels/cuda/matmul/gemm_product.hpp"
#include "kernels/cuda/matmul/product_inputs.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"

namespace kernels::cuda {
namespace {

/// D by columns.
class GemmTrial final : public LaunchTrial {
 public:
  GemmTrial(Gpu& gpu, CublasLt& library, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        size_(gemm_size(c, gpu.multiprocessors())),
        result_(gemm_result(c.dtype)),
        inputs_(gpu, {c.dtype, size_.m, size_.k}, {c.dtype, size_.n, size_.k}),
        product_(library, inputs_.factor_p(), inputs_.factor_q(), result_, gemm_rank(c)),
        d_(gpu.pool().take(static_cast<double>(size_.m) * static_cast<double>(size_.n) *
                           static_cast<double>(size_of(result_)))),
        workspace_(gpu.pool().take(static_cast<double>(product_.workspace_bytes()))) {
    remark_ = fmt::format("{}: {} x {} x {}, algorithm {} of {}", library.name(), size_.m, size_.n,
                          size_.k, gemm_rank(c) + 1, product_.offered());
    inputs_.fill(c.data);
  }

  Work work() const override { return {.flops = size_.flops(), .bytes = 0, .launches = 1}; }

  /// On matrices whose product is exact, all of it written and sampled rows and columns compared;
  /// then the data of the case is back.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    inputs_.fill_exact();
    Check check =
        check_coverage(gpu_, d_, static_cast<std::uint32_t>(size_of(result_)), [&] { once(stop); });
    if (check.ok) check = inputs_.compare_exact(d_, result_, true);
    inputs_.fill(case_.data);
    return check;
  }

 private:
  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override { return 1; }
  std::uint64_t wave() const override { return 1; }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    product_.run(inputs_.p(), inputs_.q(), d_.data(), workspace_.data(), stream);
  }

  GemmSize size_;
  Dtype result_;
  ProductInputs inputs_;
  GemmProduct product_;
  Buffer d_;
  Buffer workspace_;
};

}  // namespace

std::unique_ptr<Trial> make_gemm(Gpu& gpu, CublasLt& library, const Case& c) {
  return std::make_unique<GemmTrial>(gpu, library, c);
}

}  // namespace kernels::cuda
