// The product of a library as a roof of its own.
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
      : LaunchTrial(gpu, c),
        size_(gemm_size(c, gpu.multiprocessors())),
        result_(gemm_result(c.dtype)),
        factors_(gpu, {c.dtype, size_.m, size_.k}, {c.dtype, size_.n, size_.k}),
        product_(library, factors_.factor_p(), factors_.factor_q(), result_, gemm_rank(c)),
        workspace_(gpu.pool().take(static_cast<double>(product_.workspace_bytes()))) {
    out_ = room_for(size_.m * size_.n, result_);
    remark_ = fmt::format("{}: {} x {} x {}, algorithm {} of {}", library.name(), size_.m, size_.n,
                          size_.k, gemm_rank(c) + 1, product_.offered());
    factors_.fill(c.data);
  }

  Work work() const override { return {.flops = size_.flops(), .bytes = 0, .launches = 1}; }

  /// On matrices whose product is exact, all of it written and sampled rows and columns compared;
  /// then the data of the case is back.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    factors_.fill_exact();
    Check check = check_coverage(gpu_, out_, size_of(result_), [&] { once(stop); });
    if (check.ok) check = factors_.compare_exact(out_, result_, true);
    factors_.fill(case_.data);
    return check;
  }

 private:
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    product_.run(factors_.p(), factors_.q(), out_.data(), workspace_.data(), stream);
  }

  GemmSize size_;
  Dtype result_;
  ProductInputs factors_;
  GemmProduct product_;
  Buffer workspace_;
};

}  // namespace

std::unique_ptr<Trial> prepare_gemm(const Services& services, const Case& c) {
  return std::make_unique<GemmTrial>(services.gpu, services.cublaslt, c);
}

}  // namespace kernels::cuda
