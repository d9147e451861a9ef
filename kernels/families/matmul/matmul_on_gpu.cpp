// Family `matmul`: our kernels, and cuBLASLt.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/cuda/matmul/gemm_product.hpp"
#include "kernels/cuda/matmul/matmul_rows.hpp"
#include "kernels/cuda/matmul/matmul_tables.hpp"
#include "kernels/cuda/matmul/product_inputs.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/matmul/matmul_reference.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {
namespace {

/// C by rows of n: to the library, which counts by columns, it is n x m. p is B, q is A.
class MatmulTrial final : public LaunchTrial {
 public:
  /// Without a function by the library.
  MatmulTrial(Gpu& gpu, CublasLt& library, const Case& c, const void* function)
      : LaunchTrial(gpu, c),
        size_(matmul_size(c)),
        result_(matmul_result(c.dtype)),
        function_(function),
        factors_(gpu, factor_b(c.dtype, size_), factor_a(c.dtype, size_)) {
    out_ = room_for(size_.elements_c(), result_);
    if (epilogue_of(c) == Epilogue::bias_relu) {
      bias_.emplace(gpu, result_, size_.n);
      bias_->fill(c.data);
    }
    if (function == nullptr) {
      product_.emplace(library, factors_.factor_p(), factors_.factor_q(), result_, 0, bias());
      workspace_ = gpu.pool().take(static_cast<double>(product_->workspace_bytes()));
    } else {
      wave_ = gpu.resident_blocks(function, product_threads);
    }
    factors_.fill(c.data);
  }

  /// On matrices whose product is exact, all of it written and sampled rows and columns (of sampled
  /// products of a batch) compared; then the same ones on the data of the case, where rounding must
  /// stay within its bound.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    factors_.fill_exact();
    if (bias_) bias_->fill_exact();
    Check check = check_coverage(gpu_, out_, size_of(result_), [&] { once(stop); });
    if (check.ok) check = factors_.compare_exact(out_, result_, false, bias_ ? &*bias_ : nullptr);
    factors_.fill(case_.data);
    if (bias_) bias_->fill(case_.data);
    if (!check.ok) return check;
    once(stop);
    return check_rounding();
  }

 private:
  const void* bias() const { return bias_ ? bias_->data() : nullptr; }
  std::uint64_t units() const override {
    return function_ == nullptr ? 1 : size_.batch * matmul_tiles(size_, product_tile);
  }
  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    if (product_) {
      product_->run(factors_.p(), factors_.q(), out_.data(), workspace_.data(), stream);
      return;
    }
    const Factor &a = factors_.factor_q(), &b = factors_.factor_p();
    const std::uint64_t piece = sizeof(Vector) / size_of(case_.dtype);
    const MatmulArguments arguments{.a = static_cast<const Vector*>(factors_.q()),
                                    .b = static_cast<const Vector*>(factors_.p()),
                                    .c = out_.data(),
                                    .first = first,
                                    .m = static_cast<std::uint32_t>(size_.m),
                                    .n = static_cast<std::uint32_t>(size_.n),
                                    .pieces = static_cast<std::uint32_t>(a.depth() / piece),
                                    .bias = bias(),
                                    .a_step = a.step() / piece,
                                    .b_step = b.step() / piece,
                                    .a_pitch = static_cast<std::uint32_t>(a.pitch() / piece),
                                    .b_pitch = static_cast<std::uint32_t>(b.pitch() / piece)};
    launch(function_, count, product_threads, arguments, stream);
  }

  Check check_rounding() const {
    Deviation deviation;
    Check check = factors_.compare(out_, result_, [&](const ProductInputs::Crossing& at) -> Check {
      const Expected expected = matmul_reference(
          case_.dtype, at.of_p, [&](std::uint64_t l) { return at.of_q[l]; }, case_.units,
          bias_ ? std::optional(bias_->at(at.column)) : std::nullopt);
      deviation.add(expected.value, at.got);
      if (expected.agrees(at.got)) return {true, ""};
      return wrong_at(at.row, at.column, expected, at.got);
    });
    check.error = deviation.share();
    return check;
  }

  MatmulSize size_;
  Dtype result_;
  const void* function_;
  ProductInputs factors_;
  std::optional<ProductBias> bias_;
  std::optional<GemmProduct> product_;
  Buffer workspace_;
};

/// Throws Unsupported with the reason.
const void* function_of(const Case& c) {
  static const auto of_matrix_units = matmul_matrix_kernels();
  static const auto of_vector_units = matmul_vector_kernels();
  const bool matrix = c.units == Units::matrix;
  const auto& kernels = matrix ? of_matrix_units : of_vector_units;
  // Values that tf32 can hold are fp32 values.
  const Dtype dtype = !matrix && c.dtype == Dtype::tf32 ? Dtype::fp32 : c.dtype;
  const MatmulSize size = matmul_size(c);
  const Layout a = factor_a(dtype, size).layout, b = factor_b(dtype, size).layout;
  const auto kernel = std::ranges::find_if(kernels, [&](const MatmulKernel& one) {
    return one.dtype == dtype && one.a == a && one.b == b;
  });
  if (kernel != kernels.end() && kernel->function != nullptr) return kernel->function;
  if (multiplies_across(dtype) || (a == Layout::lines && b == Layout::lines))
    throw Unsupported(fmt::format("no matrix product of {}", name_of(c.dtype)));
  throw Unsupported(
      fmt::format("our kernel multiplies {} where k lies side by side in A and in B: choose fp32, "
                  "or the library",
                  name_of(c.dtype)));
}

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  const bool own = c.by == By::own;
  const void* const function = own ? function_of(c) : nullptr;
  if (const std::string why = columns_refusal(c.dtype, c.more[1]); !own && !why.empty())
    throw Unsupported(why);
  if (!own && epilogue_of(c) != Epilogue::none && c.dtype == Dtype::fp8)
    throw Unsupported("cuBLASLt adds only a bias of 16 bits to products of fp8: choose bf16");
  return std::make_unique<MatmulTrial>(services.gpu, services.cublaslt, c, function);
}

std::vector<Kernel> rows(const GpuFacts& gpu) {
  return matmul_rows(gpu.architecture, gpu.cublaslt.why_not(), gpu.cublaslt.name());
}

/// Tiles at the edges are computed whole.
std::vector<ShapeAxis> axes(const Case& c, const GpuFacts&) {
  if (c.by != By::own) return {};
  return {{std::string(edges_axis), {std::string(whole_edges)}}};
}

}  // namespace

extern const FamilyOnGpu matmul_on_gpu{
    .family = Family::matmul, .rows = rows, .axes = axes, .prepare = prepare};

}  // namespace kernels::cuda
