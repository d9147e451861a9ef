#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/chain_form.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {
namespace {

// Reference ops of one verification: about 20 ms on the host.
constexpr std::uint64_t reference_ops = 1'000'000;

class ChainTrial final : public LaunchTrial {
 public:
  ChainTrial(Gpu& gpu, const Case& c, const ChainKernel& kernel)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        form_(chain_form(c.dtype, c.fusion == Fusion::fused ? c.repeat : 1, facts_of(gpu))),
        function_(kernel.function(form_)),
        arithmetic_(chain_arithmetic(c.dtype, gpu.architecture().code)),
        operands_(operands_of(c.op(), c.dtype)),
        repeat_(c.repeat),
        seed_(gpu.next_seed()),
        wave_(gpu.resident_blocks(function_, chain_threads)) {
    const double bytes = static_cast<double>(c.elements) * static_cast<double>(size_of(c.dtype));
    in_ = gpu.pool().take(bytes);
    out_[0] = gpu.pool().take(bytes);
    if (steps() > 1) out_[1] = gpu.pool().take(bytes);
    fill(c.data);
  }

  /// On random data, with operands under which a result tells how many ops it went through: after
  /// as many ops as the case has, and, where that is more than a result can tell, after as many as
  /// it can.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    const Restore timed{*this};
    if (case_.data != Data::random) fill(Data::random);
    Check check = check_repeat(case_.repeat, stop);
    const std::uint64_t countable = countable_repeat(case_, arithmetic_);
    if (check.ok && countable < case_.repeat) {
      const double error = check.error;
      check = check_repeat(countable, stop);
      check.error = error;
    }
    if (case_.data != Data::random) fill(case_.data);
    return check;
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
  std::uint64_t steps() const override { return case_.fusion == Fusion::fused ? 1 : repeat_; }
  std::uint64_t units() const override {
    return (case_.elements + block_elements() - 1) / block_elements();
  }
  std::uint64_t wave() const override { return wave_; }

  // Step 0 reads the input; the others go to and fro between the two outputs.
  void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const Buffer& from = step == 0 ? in_ : out_[(step - 1) % 2];
    const std::uint64_t begin = first * block_elements();
    const std::uint64_t vectors = begin * size_of(case_.dtype) / sizeof(Vector);
    const ChainArguments arguments{
        .in = from.as<const Vector>() + vectors,
        .out = out_[step % 2].as<Vector>() + vectors,
        .elements = std::min(case_.elements - begin, count * block_elements()),
        .a = operand_bits(arithmetic_.dtype, operands_.a),
        .b = operand_bits(arithmetic_.dtype, operands_.b),
        .repeat = static_cast<std::uint32_t>(case_.fusion == Fusion::fused ? repeat_ : 1)};
    const std::uint64_t blocks = form_ == ChainForm::queue ? std::min(count, wave_) : count;
    launch(function_, blocks, chain_threads, arguments, stream);
  }

  void fill(Data data) {
    if (data == Data::random) return gpu_.fill(in_.data(), case_.dtype, case_.elements, seed_);
    check(cudaMemsetAsync(in_.data(), 0, in_.bytes(), gpu_.stream()), "filling device memory");
  }

  Check check_repeat(std::uint64_t repeat, std::stop_token stop) {
    Case counted = case_;
    counted.repeat = repeat;
    repeat_ = repeat;
    operands_ = counting_operands(counted, arithmetic_);
    const Buffer& result = out_[(steps() - 1) % 2];
    Check check = check_coverage(gpu_, result, static_cast<std::uint32_t>(size_of(case_.dtype)),
                                 [&] { once(stop); });
    if (check.ok) check = compare(counted, result);
    return check;
  }

  // However a check ends, what is timed is the case.
  struct Restore {
    ChainTrial& trial;
    ~Restore() {
      trial.repeat_ = trial.case_.repeat;
      trial.operands_ = operands_of(trial.case_.op(), trial.case_.dtype);
    }
  };

  Check compare(const Case& counted, const Buffer& result) const {
    const std::size_t bytes = size_of(case_.dtype);
    const std::uint64_t samples =
        std::clamp<std::uint64_t>(reference_ops / counted.repeat, 256, 16384);
    Deviation deviation;
    for (const Window& window : sample_windows(case_.elements, samples, seed_)) {
      const auto got = read_bytes(gpu_, result.as<const unsigned char>() + window.first * bytes,
                                  window.count * bytes);
      for (std::uint64_t i = 0; i < window.count; ++i) {
        const double x = random_element(case_.dtype, seed_, window.first + i);
        const double expected = reference_chain(counted, arithmetic_, operands_, x);
        const double value = decode(case_.dtype, element_bits(got, bytes, i));
        if (!chain_agrees(expected, value)) {
          return {false, fmt::format("element {}: expected {}, got {}", window.first + i, expected,
                                     value)};
        }
        if (i % exact_every == 0) deviation.add(exact_chain(counted, operands_, x), value);
      }
    }
    return {.ok = true, .error = deviation.share()};
  }

  ChainForm form_;
  const void* function_;
  Arithmetic arithmetic_;
  Operands operands_;  // and repeat_: others than the case's during a check
  std::uint64_t repeat_;
  std::uint64_t seed_;
  std::uint64_t wave_;
  Buffer in_;
  Buffer out_[2];
};

ChainKernels chain_kernels(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp64:
      return fp64_kernels();
    case Dtype::fp16:
      return fp16_kernels();
    case Dtype::bf16:
      return bf16_kernels();
    case Dtype::int32:
      return int32_kernels();
    case Dtype::fp32:
      return fp32_kernels();
    default:
      throw Unsupported(fmt::format("no chain of {}", name_of(dtype)));
  }
}

}  // namespace

std::uint64_t operand_bits(Dtype arithmetic, double value) {
  const std::uint64_t bits = encode(arithmetic, value);
  return size_of(arithmetic) == 2 ? bits | bits << 16 : bits;
}

std::unique_ptr<Trial> make_chain(Gpu& gpu, const Case& c) {
  const auto kernels = chain_kernels(c.dtype);
  const auto kernel = std::ranges::find(kernels, c.op(), &ChainKernel::op);
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return std::make_unique<ChainTrial>(gpu, c, *kernel);
}

}  // namespace kernels::cuda
