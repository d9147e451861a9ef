#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "kernels/cuda/matmul/gemm_shape.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/peak_reference.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {
namespace {

// 64 KiB of start values: more than enough different ones, and in the nearest caches at once.
constexpr std::uint32_t input_vectors = 4096;
constexpr std::uint64_t reference_ops = 200'000;  // per chain of a verification

std::string_view name_of_form(PeakForm form) {
  constexpr std::array<std::string_view, 3> names{"registers", "uniform", "immediate"};
  return names[static_cast<std::size_t>(form)];
}

std::string words(const PeakKernel& kernel) {
  return fmt::format("{}, {} chains, {} ops per loop", name_of_form(kernel.form), kernel.chains,
                     kernel.unroll);
}

class VectorPeakTrial final : public LaunchTrial {
 public:
  VectorPeakTrial(Gpu& gpu, const Case& c, const PeakKernel& kernel, std::uint64_t blocks)
      : LaunchTrial(gpu, c),
        kernel_(kernel),
        arithmetic_(chain_arithmetic(c.dtype, gpu.architecture().code).dtype),
        register_bytes_(std::max<std::size_t>(4, size_of(c.dtype))),
        register_results_(register_bytes_ / size_of(arithmetic_)),
        register_elements_(c.dtype == Dtype::int8 ? register_bytes_ : register_results_),
        blocks_(blocks),
        operand_buffer_(gpu.pool().take(2 * sizeof(std::uint64_t))) {
    if (blocks_ == 0) {
      const std::uint64_t each = elements_per_block();
      blocks_ = std::max<std::uint64_t>(1, (c.elements + each - 1) / each);
    }
    wave_ = gpu.resident_blocks(kernel.function, block_threads);
    take(input_vectors * sizeof(Vector) / size_of(c.dtype));
    case_.elements = now_.elements = blocks_ * elements_per_block();
    out_ = gpu.pool().take(static_cast<double>(blocks_) * block_threads *
                           static_cast<double>(register_bytes_));
    remark_ = words(kernel);
    fill(Contents::case_data, {});
    set(peak_operands(c.op(), c.dtype, kernel.form), c.repeat);
  }

  /// With operands under which a result tells how many ops it went through: after as many ops as
  /// the case has, and, where that is more than a result can tell, after as many as it can.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    const std::uint64_t countable = countable_peak_repeat(case_.op(), arithmetic_);
    fill(Contents::random, stop);
    Check check = check_repeat(case_.repeat, stop);
    if (check.ok && countable < case_.repeat) check = check_repeat(countable, stop);
    fill(Contents::case_data, stop);
    set(peak_operands(case_.op(), case_.dtype, kernel_.form), case_.repeat);
    return check;
  }

 private:
  void set(Operands operands, std::uint64_t repeat) {
    operands_ = operands;
    now_.repeat = repeat;
    const std::array<std::uint64_t, 2> bits{operand_bits(arithmetic_, operands_.a),
                                            operand_bits(arithmetic_, operands_.b)};
    gpu_.write(operand_buffer_.data(), bits.data(), sizeof(bits));
  }

  Check check_repeat(std::uint64_t repeat, std::stop_token stop) {
    set(counting_peak_operands(case_.op(), arithmetic_, kernel_.form, repeat), repeat);
    Check check{true, ""};
    for (int chain = 0; chain < kernel_.chains && check.ok; ++chain) {
      pick_ = static_cast<std::uint32_t>(chain);
      check = check_coverage(gpu_, out_, register_bytes_, [&] { once(stop); });
      if (check.ok) check = compare(chain);
    }
    pick_ = 0;
    return check;
  }

  std::uint64_t elements_per_block() const {
    return static_cast<std::uint64_t>(block_threads * kernel_.chains) * register_elements_;
  }
  std::uint64_t units() const override { return blocks_; }

  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    launch(kernel_.function, count, block_threads,
           PeakArguments{.input = in<Vector>(0),
                         .operands = operand_buffer_.as<const std::uint64_t>(),
                         .a = operand_bits(arithmetic_, operands_.a),
                         .b = operand_bits(arithmetic_, operands_.b),
                         .out = out_.data(),
                         .first_block = first,
                         .input_mask = input_vectors - 1,
                         .repeat = static_cast<std::uint32_t>(now_.repeat),
                         .pick = pick_},
           stream);
  }

  /// The end of the chain that starts with element `start` of the input.
  double expected_from(std::uint64_t start) const {
    if (case_.dtype == Dtype::int8) {
      std::array<double, 4> quad;
      for (std::uint64_t e = 0; e < quad.size(); ++e) quad[e] = input(0, start + e);
      return reference_dp4a(quad, operands_, now_.repeat);
    }
    const Case of_one{.ops = case_.op(), .dtype = arithmetic_, .repeat = now_.repeat};
    return reference_chain(of_one, {arithmetic_}, operands_, input(0, start));
  }

  Check compare(int chain) const {
    const auto lanes = static_cast<int>(sizeof(Vector) / size_of(case_.dtype) / register_elements_);
    const std::uint64_t samples = std::clamp<std::uint64_t>(reference_ops / now_.repeat, 64, 2048);
    for (const Window& window : sampled_windows(*this, blocks_ * block_threads, samples)) {
      const auto got =
          read_bytes(gpu_, out_.as<const unsigned char>() + window.first * register_bytes_,
                     window.count * register_bytes_);
      for (std::uint64_t i = 0; i < window.count * register_results_; ++i) {
        const std::uint64_t thread = window.first + i / register_results_;
        const std::uint64_t start = peak_input_index(thread, chain, kernel_.chains, lanes,
                                                     input_vectors - 1, size_of(case_.dtype)) +
                                    i % register_results_;
        const double expected = expected_from(start);
        const double value = decode(arithmetic_, bits_at(got.data(), i, size_of(arithmetic_)));
        if (value != expected) {
          return {false, fmt::format("thread {}, chain {}: expected {}, got {}", thread, chain,
                                     expected, value)};
        }
      }
    }
    return {true, ""};
  }

  PeakKernel kernel_;
  Dtype arithmetic_;
  std::size_t register_bytes_;       // of one chain
  std::uint64_t register_results_;   // 2 of packed pairs
  std::uint64_t register_elements_;  // as many, but the 4 int8 of a sum
  std::uint64_t blocks_;
  std::uint32_t pick_ = 0;
  Buffer operand_buffer_;
};

std::vector<PeakKernel> peaks_of(Dtype dtype) {
  if (dtype == Dtype::fp64) return fp64_peaks();
  if (dtype == Dtype::fp32) return fp32_peaks();
  if (dtype == Dtype::fp16) return fp16_peaks();
  if (dtype == Dtype::bf16) return bf16_peaks();
  if (dtype == Dtype::int32) return int32_peaks();
  if (dtype == Dtype::int8) return int8_peaks();
  return {};
}

PeakKernel chosen(const Case& c, const ShapeValues& shape) {
  const auto kernels = peaks_of(c.dtype);
  const auto kernel = std::ranges::find_if(kernels, [&](const PeakKernel& k) {
    return k.op == c.op() && shape.is("operands", name_of_form(k.form)) &&
           k.chains == shape.number("chains", 8) && k.unroll == shape.number("unroll", 256);
  });
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return *kernel;
}

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  if (c.op() == Op::gemm) return prepare_gemm(services, c);
  if (c.units == Units::matrix) return prepare_matrix_peak(services, c);
  Gpu& gpu = services.gpu;
  const PeakKernel kernel = chosen(c, ShapeValues(c, gpu.architecture()));
  if (c.elements > 0) return std::make_unique<VectorPeakTrial>(gpu, c, kernel, 0);
  const std::uint64_t wave = gpu.resident_blocks(kernel.function, block_threads);
  const std::uint64_t blocks = wave * VectorPeakTrial(gpu, c, kernel, wave).peak_waves();
  return std::make_unique<VectorPeakTrial>(gpu, c, kernel, blocks);
}

std::vector<Kernel> rows(const GpuFacts& gpu) {
  std::vector<Kernel> all = kernels_of_peaks(gpu.architecture);
  std::ranges::move(gemm_rows(gpu.architecture.gpu, gpu.cublaslt.why_not(), gpu.cublaslt.name()),
                    std::back_inserter(all));
  return all;
}

std::vector<ShapeAxis> axes(const Case& c, const GpuFacts& gpu) {
  return c.op() == Op::gemm ? gemm_axes(c, gpu.multiprocessors) : shape_axes(c, gpu.architecture);
}

}  // namespace

extern const FamilyOnGpu peak_on_gpu{
    .family = Family::peak, .rows = rows, .axes = axes, .prepare = prepare};

}  // namespace kernels::cuda
