// Family `pointwise`, forward and backward: kernels that are generated for exactly this chain, or,
// unfused, for each of its operators. Activations are kept in memory or computed again.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/operators/chain_source.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/pointwise/pointwise.hpp"

namespace kernels::cuda {
namespace {

/// Vectors of a tensor that one block covers.
constexpr std::uint64_t block_vectors = std::uint64_t{gradient_vectors} * block_threads;

/// The forward and the backward pass of the whole chain, or of one of its operators.
using Passes = const std::vector<GeneratedKernel>*;

class GradientTrial final : public LaunchTrial {
 public:
  GradientTrial(Gpu& gpu, GeneratedKernels& generated, const Case& c)
      : LaunchTrial(gpu, c), generated_(generated) {
    for (std::uint64_t i = 0; i < in_a_pass(); ++i) {
      const Case what = fused() ? c : alone_at(c, i);
      passes_.push_back(&generated.load(gradient_source(what), chain_options(),
                                        {forward_symbol, backward_symbol}, gpu.capability()));
    }
    take(c.elements);
    take(c.elements);
    out_ = room_for(tensors_written(c) * c.elements);
    wave_ =
        generated.resident_blocks(passes_.front()->front(), block_threads, gpu.multiprocessors());
    const bool calls = std::ranges::any_of(c.ops, calls_function);
    note_ = fmt::format("16-byte accesses{}; {}", calls ? "; functions of CUDA, within 2 ULP" : "",
                        passes_.back()->front().source);
    values_ = {{"allocated", footprint_of(c)}};
    fill(Contents::case_data, {});
  }

 private:
  bool fused() const { return case_.fusion == Fusion::fused; }
  std::uint64_t in_a_pass() const { return fused() ? 1 : operators_of(case_); }
  std::uint64_t vectors() const { return case_.elements * size_of(case_.dtype) / sizeof(Vector); }
  /// Of those that are written: results, and the gradient of the input behind them.
  Vector* tensor(std::uint64_t index) const { return out_.as<Vector>() + index * vectors(); }

  // Launches of the forward pass, then those of the backward pass in the other order.
  std::uint64_t steps() const override { return 2 * in_a_pass(); }
  std::uint64_t units() const override { return (vectors() + block_vectors - 1) / block_vectors; }
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const bool backward = step >= in_a_pass();
    const std::uint64_t which = backward ? steps() - 1 - step : step;
    const bool last = which + 1 == in_a_pass();
    const std::uint64_t begin = first * block_vectors;
    Vector* const input_gradient = tensor(tensors_written(case_) - 1) + begin;
    const GradientArguments arguments{
        .in = which == 0 ? in<Vector>(0) + begin : tensor(which - 1) + begin,
        .gradient = last ? in<Vector>(1) + begin : input_gradient,
        .results = tensor(which) + begin,
        .out = input_gradient,
        .vectors = std::min(vectors() - begin, count * block_vectors),
        .stride = vectors(),
        .a = operand_bits(case_.dtype, operands_of(Op::mul, case_.dtype).a),
        .b = operand_bits(case_.dtype, operands_of(Op::add, case_.dtype).b),
        .never = ~std::uint64_t{0}};
    generated_.launch((*passes_[which])[backward ? 1 : 0], count, block_threads, arguments, stream);
  }

  GeneratedKernels& generated_;
  std::vector<Passes> passes_;  // of the chain, or of each operator
};

}  // namespace

std::unique_ptr<Trial> prepare_gradient(const Services& services, const Case& c) {
  return std::make_unique<GradientTrial>(services.gpu, services.generated, c);
}

}  // namespace kernels::cuda
