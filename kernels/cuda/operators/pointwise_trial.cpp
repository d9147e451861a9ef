// Family `pointwise`: unfused, one launch per operator with a trip to memory between; fused, one
// launch that takes every element through all operators in registers: a kernel that is generated
// for exactly this chain, or one that reads the operators from a list.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/chain_text.hpp"
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

const void* function_of(Op op, Dtype dtype) {
  static const auto kernels = pointwise_kernels();
  const auto kernel = std::ranges::find_if(
      kernels, [&](const PointwiseKernel& k) { return k.op == op && k.dtype == dtype; });
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", op->name));
  return kernel->function;
}

const void* list_function(Dtype dtype) {
  const auto kernels = pointwise_list_kernels();
  const auto kernel = std::ranges::find(kernels, dtype, &PointwiseListKernel::dtype);
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", name_of(dtype)));
  return kernel->function;
}

std::uint64_t steps_of(const Case& c) { return c.fusion == Fusion::fused ? 1 : operators_of(c); }

/// The kernel of each launch; none where it is generated.
std::vector<const void*> functions_of(const Case& c) {
  if (c.by == By::generated) return {};
  if (c.fusion == Fusion::fused && operators_of(c) > 1) return {list_function(c.dtype)};
  std::vector<const void*> functions;
  for (std::uint64_t step = 0; step < steps_of(c); ++step)
    functions.push_back(function_of(operator_at(c, step), c.dtype));
  return functions;
}

class PointwiseTrial final : public LaunchTrial {
 public:
  PointwiseTrial(Gpu& gpu, GeneratedKernels& generated, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        all_generated_(generated),
        functions_(functions_of(c)),
        generated_(c.by == By::generated ? &generated
                                                .load(chain_source(c), chain_options(),
                                                      {chain_symbol}, gpu.capability())
                                                .front()
                                         : nullptr),
        seed_(gpu.next_seed()),
        wave_(resident_blocks()) {
    const double bytes = static_cast<double>(c.elements * size());
    in_ = gpu.pool().take(bytes);
    out_[0] = gpu.pool().take(bytes);
    if (steps() > 1) out_[1] = gpu.pool().take(bytes);
    note_ = listed() ? "operators from a list, applied in registers" : "16-byte accesses";
    if (std::ranges::any_of(c.ops, calls_function)) note_ += "; functions of CUDA, within 2 ULP";
    if (generated_ != nullptr) note_ += "; " + generated_->source;
    fill(c.data);
  }

  /// On random data: zeros would hide what was left out.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    if (case_.data != Data::random) fill(Data::random);
    const Buffer& result = out_[(steps() - 1) % 2];
    Check check =
        check_coverage(gpu_, result, static_cast<std::uint32_t>(size()), [&] { once(stop); });
    if (check.ok) check = compare(result, stop);
    if (case_.data != Data::random) fill(case_.data);
    return check;
  }

 private:
  std::size_t size() const { return size_of(case_.dtype); }
  bool listed() const {
    return case_.fusion == Fusion::fused && operators_of(case_) > 1 && generated_ == nullptr;
  }
  std::uint64_t resident_blocks() const {
    if (generated_ == nullptr) return gpu_.resident_blocks(functions_.front(), block_threads);
    return all_generated_.resident_blocks(*generated_, block_threads, gpu_.multiprocessors());
  }
  std::uint64_t steps() const override { return steps_of(case_); }
  std::uint64_t units() const override {
    const std::uint64_t each = block_elements(size());
    return (case_.elements + each - 1) / each;
  }
  std::uint64_t wave() const override { return wave_; }

  // Step 0 reads the input; the others go to and fro between the two outputs.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const Buffer& from = step == 0 ? in_ : out_[(step - 1) % 2];
    const std::uint64_t begin = first * block_elements(size());
    const std::uint64_t vectors = begin * size() / sizeof(Vector);
    const Dtype computed = arithmetic_of_operators(case_.dtype);
    const PointwiseArguments arguments{
        .in = from.as<const Vector>() + vectors,
        .out = out_[step % 2].as<Vector>() + vectors,
        .elements = std::min(case_.elements - begin, count * block_elements(size())),
        .a = operand_bits(computed, operands_of(Op::mul, case_.dtype).a),
        .b = operand_bits(computed, operands_of(Op::add, case_.dtype).b)};
    if (generated_ != nullptr) {
      all_generated_.launch(*generated_, count, block_threads, arguments, stream);
    } else if (listed()) {
      launch(functions_[step], count, block_threads, list_of(arguments), stream);
    } else {
      launch(functions_[step], count, block_threads, arguments, stream);
    }
  }

  PointwiseListArguments list_of(const PointwiseArguments& each) const {
    PointwiseListArguments list{.each = each, .ops = {}, .steps = 0, .length = 0};
    list.steps = static_cast<std::uint32_t>(operators_of(case_));
    list.length = static_cast<std::uint32_t>(operators_of(case_) / case_.repeat);
    for (std::uint32_t i = 0; i < list.length; ++i)
      list.ops[i / 8] |= std::uint64_t{operator_at(case_, i).row} << (i % 8 * 8);
    return list;
  }

  void fill(Data data) {
    if (data == Data::random) return gpu_.fill(in_.data(), case_.dtype, case_.elements, seed_);
    check(cudaMemsetAsync(in_.data(), 0, in_.bytes(), gpu_.stream()), "filling device memory");
  }

  Check compare(const Buffer& result, const std::stop_token& stop) const {
    const std::uint64_t samples =
        std::clamp<std::uint64_t>(reference_ops / operators_of(case_), 256, 16384);
    const auto expected = [&](std::uint64_t i) {
      return expected_pointwise(case_, random_element(case_.dtype, seed_, i), cuda_error);
    };
    Deviation deviation;
    Check check = compare_samples(gpu_, case_, {result.data(), "", expected}, samples, seed_,
                                  deviation, stop);
    check.error = deviation.share();
    return check;
  }

  GeneratedKernels& all_generated_;
  std::vector<const void*> functions_;  // of each launch
  const GeneratedKernel* generated_;    // or this one
  std::uint64_t seed_;
  std::uint64_t wave_;
  Buffer in_;
  Buffer out_[2];
};

}  // namespace

std::unique_ptr<Trial> make_pointwise(Gpu& gpu, GeneratedKernels& generated, const Case& c) {
  if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
  Case checked = c;
  checked.data = Data::random;
  if (const std::string why = untold(checked, cuda_error); !why.empty()) throw Unsupported(why);
  if (activations_of(c) != Activations::none) return make_gradient(gpu, generated, c);
  if (c.by == By::generated && c.fusion != Fusion::fused)
    throw Unsupported("a generated kernel is fused: choose fused");
  return std::make_unique<PointwiseTrial>(gpu, generated, c);
}

}  // namespace kernels::cuda
