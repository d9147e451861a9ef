// Family `pointwise`, forward and backward: kernels that are generated for exactly this chain, or,
// unfused, for each of its operators. Activations are kept in memory or computed again.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/operators/chain_source.hpp"
#include "kernels/cuda/operators/compare_samples.hpp"
#include "kernels/cuda/operators/operator_rows.hpp"
#include "kernels/cuda/operators/operators.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise.hpp"

namespace kernels::cuda {
namespace {

// Operators of the reference in one verification: about 20 ms on the host.
constexpr std::uint64_t reference_ops = 100'000;

/// Vectors of a tensor that one block covers.
constexpr std::uint64_t block_vectors = std::uint64_t{gradient_vectors} * block_threads;

/// The forward and the backward pass of the whole chain, or of one of its operators.
using Passes = const std::vector<GeneratedKernel>*;

class GradientTrial final : public LaunchTrial {
 public:
  GradientTrial(Gpu& gpu, GeneratedKernels& generated, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        generated_(generated),
        seed_(gpu.next_seed()),
        gradient_seed_(gpu.next_seed()) {
    for (std::uint64_t i = 0; i < in_a_pass(); ++i) {
      const Case what = fused() ? c : alone_at(c, i);
      passes_.push_back(&generated.load(gradient_source(what), chain_options(),
                                        {forward_symbol, backward_symbol}, gpu.capability()));
    }
    in_ = gpu.pool().take(tensor_bytes());
    output_gradient_ = gpu.pool().take(tensor_bytes());
    written_ = gpu.pool().take(static_cast<double>(tensors_written(c)) * tensor_bytes());
    const bool calls = std::ranges::any_of(c.ops, calls_function);
    note_ = fmt::format("16-byte accesses{}; {}", calls ? "; functions of CUDA, within 2 ULP" : "",
                        passes_.back()->front().source);
    values_ = {{"allocated", footprint_of(c)}};
    fill(c.data);
  }

  /// On random data: zeros would hide what was left out.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    if (case_.data != Data::random) fill(Data::random);
    Check check = check_coverage(gpu_, written_, static_cast<std::uint32_t>(size_of(case_.dtype)),
                                 [&] { once(stop); });
    if (check.ok) check = compare(stop);
    if (case_.data != Data::random) fill(case_.data);
    return check;
  }

 private:
  bool fused() const { return case_.fusion == Fusion::fused; }
  std::uint64_t in_a_pass() const { return fused() ? 1 : operators_of(case_); }
  std::uint64_t vectors() const { return case_.elements * size_of(case_.dtype) / sizeof(Vector); }
  double tensor_bytes() const { return static_cast<double>(vectors() * sizeof(Vector)); }
  /// Of those that are written: results, and the gradient of the input behind them.
  Vector* tensor(std::uint64_t index) const { return written_.as<Vector>() + index * vectors(); }

  // Launches of the forward pass, then those of the backward pass in the other order.
  std::uint64_t steps() const override { return 2 * in_a_pass(); }
  std::uint64_t units() const override { return (vectors() + block_vectors - 1) / block_vectors; }
  std::uint64_t wave() const override {
    return generated_.resident_blocks(passes_.front()->front(), block_threads,
                                      gpu_.multiprocessors());
  }

  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const bool backward = step >= in_a_pass();
    const std::uint64_t which = backward ? steps() - 1 - step : step;
    const bool last = which + 1 == in_a_pass();
    const std::uint64_t begin = first * block_vectors;
    Vector* const input_gradient = tensor(tensors_written(case_) - 1) + begin;
    const GradientArguments arguments{
        .in = which == 0 ? in_.as<const Vector>() + begin : tensor(which - 1) + begin,
        .gradient = last ? output_gradient_.as<const Vector>() + begin : input_gradient,
        .results = tensor(which) + begin,
        .out = input_gradient,
        .vectors = std::min(vectors() - begin, count * block_vectors),
        .stride = vectors(),
        .a = operand_bits(case_.dtype, operands_of(Op::mul, case_.dtype).a),
        .b = operand_bits(case_.dtype, operands_of(Op::add, case_.dtype).b),
        .never = ~std::uint64_t{0}};
    generated_.launch((*passes_[which])[backward ? 1 : 0], count, block_threads, arguments, stream);
  }

  void fill(Data data) {
    fill(in_, seed_, data);
    fill(output_gradient_, gradient_seed_, data);
  }
  void fill(const Buffer& buffer, std::uint64_t seed, Data data) {
    if (data == Data::random) return gpu_.fill(buffer.data(), case_.dtype, case_.elements, seed);
    check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), gpu_.stream()),
          "filling device memory");
  }

  /// Every tensor that was written. The error of a point is that of what both passes are run for.
  Check compare(const std::stop_token& stop) const {
    const std::uint64_t written = tensors_written(case_);
    const std::uint64_t samples =
        std::clamp<std::uint64_t>(reference_ops / (operators_of(case_) * written), 256, 16384);
    Deviation kept, last;
    for (std::uint64_t index = 0; index < written; ++index) {
      const auto expected = [&](std::uint64_t i) {
        return expected_written(case_, index, random_element(case_.dtype, seed_, i),
                                random_element(case_.dtype, gradient_seed_, i), cuda_error);
      };
      const Check check =
          compare_samples(gpu_, case_, {tensor(index), name_of_written(case_, index), expected},
                          samples, seed_, index + 2 < written ? kept : last, stop);
      if (!check.ok) return check;
    }
    return {.ok = true, .error = last.share()};
  }

  GeneratedKernels& generated_;
  std::vector<Passes> passes_;  // of the chain, or of each operator
  std::uint64_t seed_, gradient_seed_;
  Buffer in_, output_gradient_, written_;
};

}  // namespace

std::unique_ptr<Trial> make_gradient(Gpu& gpu, GeneratedKernels& generated, const Case& c) {
  if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
  return std::make_unique<GradientTrial>(gpu, generated, c);
}

}  // namespace kernels::cuda
