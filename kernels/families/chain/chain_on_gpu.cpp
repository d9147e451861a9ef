#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {
namespace {

class ChainTrial final : public LaunchTrial {
 public:
  ChainTrial(Gpu& gpu, const Case& c, const ChainKernel& kernel)
      : LaunchTrial(gpu, c),
        form_(chain_form(c.dtype, ops_per_launch(), facts_of(gpu))),
        function_(kernel.function(form_)),
        arithmetic_(chain_arithmetic(c.dtype, gpu.architecture().code)) {
    operands_ = operands_of(c.op(), c.dtype);
    wave_ = gpu.resident_blocks(function_, chain_threads);
    take(c.elements);
    out_ = room_for(c.elements);
    if (steps() > 1) other_ = room_for(c.elements);
    fill(Contents::case_data, {});
  }

 private:
  static RidgeFacts facts_of(const Gpu& gpu) {
    int ordinal = 0;
    check(cudaGetDevice(&ordinal), "asking for the GPU");
    const auto told = [&](cudaDeviceAttr which) -> double { return attribute(which, ordinal); };
    // Two transfers per clock of the memory; kHz and bits.
    return {gpu.capability(), gpu.multiprocessors(), 1e3 * told(cudaDevAttrClockRate),
            2e3 * told(cudaDevAttrMemoryClockRate) * told(cudaDevAttrGlobalMemoryBusWidth) / 8};
  }
  std::uint64_t block_elements() const {
    return chain_elements(form_ == ChainForm::few ? few_vectors : many_vectors,
                          size_of(case_.dtype));
  }
  Arithmetic arithmetic() const override { return arithmetic_; }
  std::uint64_t ops_per_launch() const { return now_.fusion == Fusion::fused ? now_.repeat : 1; }
  std::uint64_t steps() const override { return now_.fusion == Fusion::fused ? 1 : now_.repeat; }
  std::uint64_t units() const override {
    return (case_.elements + block_elements() - 1) / block_elements();
  }
  const Buffer& result() const override { return written_by(steps() - 1); }
  // Step 0 reads the input; the others go to and fro between the two outputs.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const Vector* const from = step == 0 ? in<Vector>(0) : written_by(step - 1).as<const Vector>();
    const std::uint64_t begin = first * block_elements();
    const std::uint64_t vectors = begin * size_of(case_.dtype) / sizeof(Vector);
    const ChainArguments arguments{
        .in = from + vectors,
        .out = written_by(step).as<Vector>() + vectors,
        .elements = std::min(case_.elements - begin, count * block_elements()),
        .a = operand_bits(arithmetic_.dtype, operands_.a),
        .b = operand_bits(arithmetic_.dtype, operands_.b),
        .repeat = static_cast<std::uint32_t>(ops_per_launch())};
    const std::uint64_t blocks = form_ == ChainForm::queue ? std::min(count, wave_) : count;
    launch(function_, blocks, chain_threads, arguments, stream);
  }

  ChainForm form_;
  const void* function_;
  Arithmetic arithmetic_;
};

ChainKernels chain_kernels(Dtype dtype) {
  if (dtype == Dtype::fp64) return fp64_kernels();
  if (dtype == Dtype::fp16) return fp16_kernels();
  if (dtype == Dtype::bf16) return bf16_kernels();
  if (dtype == Dtype::int32) return int32_kernels();
  if (dtype == Dtype::fp32) return fp32_kernels();
  throw Unsupported(fmt::format("no chain of {}", name_of(dtype)));
}

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  const auto kernels = chain_kernels(c.dtype);
  const auto kernel = std::ranges::find(kernels, c.op(), &ChainKernel::op);
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return std::make_unique<ChainTrial>(services.gpu, c, *kernel);
}

}  // namespace

std::uint64_t operand_bits(Dtype arithmetic, double value) {
  const std::uint64_t bits = encode(arithmetic, value);
  return size_of(arithmetic) == 2 ? bits | bits << 16 : bits;
}

extern const FamilyOnGpu chain_on_gpu{
    .family = Family::chain,
    .rows = [](const GpuFacts& gpu) { return kernels_of_chains(gpu.architecture); },
    .prepare = prepare};

}  // namespace kernels::cuda
