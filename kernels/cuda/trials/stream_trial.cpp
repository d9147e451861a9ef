#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/cuda/trials/stream_kernel.hpp"
#include "kernels/cuda/trials/tile_inputs.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/units.hpp"

namespace kernels::cuda {
namespace {

constexpr std::uint64_t samples = 4096;
// Representable, and so is every element of a triad with it.
constexpr float triad_scalar = 0.75F;
constexpr std::uint32_t written_word = 0x3fc00000;  // 1.5F

class StreamTrial final : public LaunchTrial {
 public:
  StreamTrial(Gpu& gpu, const Case& c, const StreamShape& shape)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        shape_(shape),
        wave_(shape.ring ? 1 : gpu.resident_blocks(shape.function, block_threads)),
        ring_blocks_(static_cast<std::uint64_t>(std::max(1, gpu.multiprocessors()))) {
    if (shape.ring) refuse_too_much();
    const double bytes = static_cast<double>(c.elements) * sizeof(float);
    if (c.op() != Op::write) take(a_, seed_a_, bytes);
    if (c.op() == Op::triad) take(b_, seed_b_, bytes);
    fill(c.data);
    out_ = gpu.pool().take(
        sums() ? static_cast<double>(all_blocks() * warps() * sizeof(std::uint32_t)) : bytes);
  }

  /// On random data: zeros would hide what was left out.
  Check verify(std::stop_token stop) override {
    gpu_.activate();
    if (case_.data != Data::random) fill(Data::random);
    const Check check = sums() ? check_sum(stop) : check_elements(stop);
    if (case_.data != Data::random) fill(case_.data);
    return check;
  }

 private:
  bool sums() const { return only_reads(case_.op()); }
  int threads() const { return shape_.ring ? ring_threads : block_threads; }
  std::uint64_t warps() const { return static_cast<std::uint64_t>(threads()) / 32; }
  std::uint64_t all_blocks() const { return shape_.ring ? ring_blocks_ : units(); }

  // A block counts its vectors by 32 bits, and shared memory holds so many; a part is rounded up to
  // whole cache lines.
  void refuse_too_much() const {
    constexpr std::uint64_t vector = sizeof(Vector) / sizeof(float);
    const bool shared = case_.op() == Op::shared;
    const std::uint64_t most_of_block = shared ? shared_vectors : std::uint64_t{1} << 31;
    const std::uint64_t blocks = shape_.rotated ? 1 : ring_blocks_;
    const std::uint64_t most = blocks * most_of_block * vector;
    if (case_.elements <= most) return;
    throw Unsupported(fmt::format(
        "{} elements are more than the {} blocks that pass over them again "
        "and again can hold ({}); choose fewer",
        case_.elements, ring_blocks_, units::bytes(static_cast<double>(most * sizeof(float)))));
  }

  void take(Buffer& buffer, std::uint64_t& seed, double bytes) {
    buffer = gpu_.pool().take(bytes);
    seed = gpu_.next_seed();
  }

  void fill(Data data) {
    const Pattern pattern = pattern_of(data);
    if (a_.data() != nullptr) {
      fill_pattern(gpu_, a_.data(), Dtype::fp32, case_.elements, seed_a_, pattern);
    }
    if (b_.data() != nullptr) {
      fill_pattern(gpu_, b_.data(), Dtype::fp32, case_.elements, seed_b_, pattern);
    }
  }

  std::uint64_t unit_elements() const {
    return static_cast<std::uint64_t>(shape_.in_flight * shape_.width) * block_threads /
           sizeof(float);
  }
  std::uint64_t steps() const override { return 1; }
  // A ring is one whole: its blocks are there at the same time.
  std::uint64_t units() const override {
    return shape_.ring ? 1 : (case_.elements + unit_elements() - 1) / unit_elements();
  }
  std::uint64_t wave() const override { return wave_; }

  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const std::uint64_t begin = first * unit_elements();
    const std::uint64_t vectors = begin * sizeof(float) / sizeof(Vector);
    StreamArguments arguments{
        .a = a_.data() == nullptr ? nullptr : a_.as<const Vector>() + vectors,
        .b = b_.data() == nullptr ? nullptr : b_.as<const Vector>() + vectors,
        .out = sums() ? nullptr : out_.as<Vector>() + vectors,
        .elements = count == units() ? case_.elements
                                     : std::min(case_.elements - begin, count * unit_elements()),
        .scalar = triad_scalar,
        .pattern = case_.data == Data::zeros ? 0 : written_word};
    std::uint32_t* const sums_of_warps =
        sums() ? out_.as<std::uint32_t>() + first * warps() : nullptr;
    if (shape_.ring) {
      launch(shape_.function, ring_blocks_, ring_threads,
             RingArguments{arguments, sums_of_warps, static_cast<std::uint32_t>(case_.repeat),
                           shape_.rotated},
             stream);
    } else if (sums()) {
      launch(shape_.function, count, block_threads, ReadArguments{arguments, sums_of_warps},
             stream);
    } else {
      launch(shape_.function, count, block_threads, arguments, stream);
    }
  }

  // Every word that was read in each pass, in wrap-around arithmetic, against the words that were
  // written.
  Check check_sum(std::stop_token stop) {
    check(cudaMemsetAsync(out_.data(), 0, out_.bytes(), gpu_.stream()), "filling device memory");
    // Timing the first part has left sums of its own.
    once(stop);
    check(cudaMemsetAsync(out_.data(), 0, out_.bytes(), gpu_.stream()), "filling device memory");
    once(stop);
    const std::uint32_t got = sum_of(read_bytes(gpu_, out_.data(), out_.bytes()));
    const Buffer sum = gpu_.pool().take(sizeof(std::uint32_t));
    check(cudaMemsetAsync(sum.data(), 0, sum.bytes(), gpu_.stream()), "filling device memory");
    launch(service_kernels().sum_random, 32ULL * static_cast<unsigned>(gpu_.multiprocessors()),
           block_threads, SumArguments{case_.elements, seed_a_, sum.as<std::uint32_t>()},
           gpu_.stream());
    const std::uint32_t expected = sum_of(read_bytes(gpu_, sum.data(), sum.bytes())) *
                                   static_cast<std::uint32_t>(case_.repeat);
    if (got == expected) return {true, ""};
    return {false, fmt::format("sum of all words read: expected {}, got {}", expected, got)};
  }

  static std::uint32_t sum_of(const std::vector<unsigned char>& bytes) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes.size() / sizeof(sum); ++i) {
      sum += static_cast<std::uint32_t>(element_bits(bytes, sizeof(sum), i));
    }
    return sum;
  }

  Check check_elements(std::stop_token stop) {
    Check check = check_coverage(gpu_, out_, sizeof(float), [&] { once(stop); });
    for (const Window& window : sample_windows(case_.elements, samples, gpu_.next_seed())) {
      if (check.ok) check = compare(window);
    }
    return check;
  }

  double expected(std::uint64_t i) const {
    if (case_.op() == Op::write) {
      return case_.data == Data::zeros ? 0 : decode(Dtype::fp32, written_word);
    }
    const double a = random_element(Dtype::fp32, seed_a_, i);
    if (case_.op() == Op::copy) return a;
    // The product of a 24-bit and a 2-bit number is exact in double: one rounding, like an fma.
    return round_to(Dtype::fp32, a + triad_scalar * random_element(Dtype::fp32, seed_b_, i));
  }

  Check compare(const Window& window) const {
    const auto got =
        read_bytes(gpu_, out_.as<const float>() + window.first, window.count * sizeof(float));
    for (std::uint64_t i = 0; i < window.count; ++i) {
      const double value = decode(Dtype::fp32, element_bits(got, sizeof(float), i));
      if (value != expected(window.first + i)) {
        return {false, fmt::format("element {}: expected {}, got {}", window.first + i,
                                   expected(window.first + i), value)};
      }
    }
    return {true, ""};
  }

  StreamShape shape_;
  std::uint64_t wave_;         // units at a time
  std::uint64_t ring_blocks_;  // one per multiprocessor
  std::uint64_t seed_a_ = 0;
  std::uint64_t seed_b_ = 0;
  Buffer a_;
  Buffer b_;
  Buffer out_;
};

}  // namespace

std::unique_ptr<Trial> make_stream(Gpu& gpu, const Case& c) {
  return std::make_unique<StreamTrial>(gpu, c, stream_shape(c, gpu.architecture()));
}

}  // namespace kernels::cuda
