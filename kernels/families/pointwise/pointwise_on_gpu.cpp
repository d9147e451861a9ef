// Family `pointwise`: unfused, one launch per operator with a trip to memory between; fused, one
// launch that takes every element through all operators in registers: a kernel that is generated
// for exactly this chain, or one that reads the operators from a list.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/chain_text.hpp"
#include "kernels/cuda/operators/chain_source.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/pointwise/pointwise.hpp"

namespace kernels::cuda {
namespace {

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
      : LaunchTrial(gpu, c),
        all_generated_(generated),
        functions_(functions_of(c)),
        generated_(c.by == By::generated ? &generated
                                                .load(chain_source(c), chain_options(),
                                                      {chain_symbol}, gpu.capability())
                                                .front()
                                         : nullptr) {
    wave_ = resident_blocks();
    take(c.elements);
    out_ = room_for(c.elements);
    if (steps() > 1) other_ = room_for(c.elements);
    note_ = listed() ? "operators from a list, applied in registers" : "16-byte accesses";
    if (std::ranges::any_of(c.ops, calls_function)) note_ += "; functions of CUDA, within 2 ULP";
    if (generated_ != nullptr) note_ += "; " + generated_->source;
    fill(Contents::case_data, {});
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

  const Buffer& result() const override { return written_by(steps() - 1); }
  // Step 0 reads the input; the others go to and fro between the two outputs.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const Vector* const from = step == 0 ? in<Vector>(0) : written_by(step - 1).as<const Vector>();
    const std::uint64_t begin = first * block_elements(size());
    const std::uint64_t vectors = begin * size() / sizeof(Vector);
    const Dtype computed = arithmetic_of_operators(case_.dtype);
    const PointwiseArguments arguments{
        .in = from + vectors,
        .out = written_by(step).as<Vector>() + vectors,
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

  GeneratedKernels& all_generated_;
  std::vector<const void*> functions_;  // of each launch
  const GeneratedKernel* generated_;    // or this one
};

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  if (const std::string why = untold(c, cuda_error); !why.empty()) throw Unsupported(why);
  if (activations_of(c) != Activations::none) return prepare_gradient(services, c);
  if (c.by == By::generated && c.fusion != Fusion::fused)
    throw Unsupported("a generated kernel is fused: choose fused");
  return std::make_unique<PointwiseTrial>(services.gpu, services.generated, c);
}

}  // namespace

extern const FamilyOnGpu pointwise_on_gpu{
    .family = Family::pointwise,
    .rows = [](const GpuFacts&) { return operator_rows(Family::pointwise); },
    .prepare = prepare};

}  // namespace kernels::cuda
