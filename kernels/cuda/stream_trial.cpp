#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/cuda/inspect.hpp"
#include "kernels/cuda/trials.hpp"
#include "kernels/reference.hpp"

namespace kernels::cuda {
namespace {

constexpr std::uint64_t samples = 4096;
// Representable, and so is every element of a triad with it.
constexpr float triad_scalar = 0.75F;
constexpr std::uint32_t written_word = 0x3fc00000;  // 1.5F

class StreamTrial final : public LaunchTrial {
 public:
  StreamTrial(Gpu& gpu, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short), function_(function_of(c.op)) {
    const double bytes = static_cast<double>(c.elements) * sizeof(float);
    const bool reads = c.op != Op::write;
    if (reads) take_random(a_, seed_a_, bytes);
    if (c.op == Op::triad) take_random(b_, seed_b_, bytes);
    out_ = gpu.pool().take(c.op == Op::read ? static_cast<double>(units() * sizeof(std::uint32_t))
                                            : bytes);
    wave_ = gpu.resident_blocks(function_, block_threads);
  }

  Check verify(std::stop_token stop) override {
    gpu_.activate();
    if (case_.op == Op::read) return check_sum(stop);
    Check check = check_coverage(gpu_, out_, sizeof(float), [&] { once(stop); });
    for (const Window& window : sample_windows(case_.elements, samples, gpu_.next_seed())) {
      if (check.ok) check = compare(window);
    }
    return check;
  }

 private:
  static const void* function_of(Op op) {
    static const StreamKernels kernels = stream_kernels();
    switch (op) {
      case Op::read:
        return kernels.read;
      case Op::write:
        return kernels.write;
      case Op::copy:
        return kernels.copy;
      case Op::triad:
        return kernels.triad;
      default:
        throw Unsupported(fmt::format("no stream of {}", name_of(op)));
    }
  }

  void take_random(Buffer& buffer, std::uint64_t& seed, double bytes) {
    buffer = gpu_.pool().take(bytes);
    seed = gpu_.next_seed();
    gpu_.fill(buffer.data(), Dtype::fp32, case_.elements, seed);
  }

  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override {
    return (case_.elements + block_elements(sizeof(float)) - 1) / block_elements(sizeof(float));
  }
  std::uint64_t wave() const override { return wave_; }

  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const std::uint64_t begin = first * block_elements(sizeof(float));
    const std::uint64_t vectors = begin * sizeof(float) / sizeof(Vector);
    StreamArguments arguments{
        .a = a_.data() == nullptr ? nullptr : a_.as<const Vector>() + vectors,
        .b = b_.data() == nullptr ? nullptr : b_.as<const Vector>() + vectors,
        .out = nullptr,
        .elements = std::min(case_.elements - begin, count * block_elements(sizeof(float))),
        .scalar = triad_scalar,
        .pattern = {{written_word, written_word, written_word, written_word}}};
    if (case_.op == Op::read) {
      launch(function_, std::min(count, wave_), block_threads,
             ReadArguments{arguments, out_.as<std::uint32_t>() + first}, stream);
    } else {
      arguments.out = out_.as<Vector>() + vectors;
      launch(function_, count, block_threads, arguments, stream);
    }
  }

  // Every word that was read once, in wrap-around arithmetic, against the words that were written.
  Check check_sum(std::stop_token stop) {
    check(cudaMemsetAsync(out_.data(), 0, out_.bytes(), gpu_.stream()), "filling device memory");
    // Timing the first part has left sums of its own.
    once(stop);
    check(cudaMemsetAsync(out_.data(), 0, out_.bytes(), gpu_.stream()), "filling device memory");
    once(stop);
    const std::uint32_t got = sum_of(read_bytes(out_.data(), out_.bytes()));
    const Buffer sum = gpu_.pool().take(sizeof(std::uint32_t));
    check(cudaMemsetAsync(sum.data(), 0, sum.bytes(), gpu_.stream()), "filling device memory");
    launch(service_kernels().sum_random, 32ULL * static_cast<unsigned>(gpu_.multiprocessors()),
           block_threads, SumArguments{case_.elements, seed_a_, sum.as<std::uint32_t>()},
           gpu_.stream());
    gpu_.timer().finish();
    const std::uint32_t expected = sum_of(read_bytes(sum.data(), sum.bytes()));
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

  double expected(std::uint64_t i) const {
    if (case_.op == Op::write) return decode(Dtype::fp32, written_word);
    const double a = random_element(Dtype::fp32, seed_a_, i);
    if (case_.op == Op::copy) return a;
    // The product of a 24-bit and a 2-bit number is exact in double: one rounding, like an fma.
    return round_to(Dtype::fp32, a + triad_scalar * random_element(Dtype::fp32, seed_b_, i));
  }

  Check compare(const Window& window) const {
    const auto got =
        read_bytes(out_.as<const float>() + window.first, window.count * sizeof(float));
    for (std::uint64_t i = 0; i < window.count; ++i) {
      const double value = decode(Dtype::fp32, element_bits(got, sizeof(float), i));
      if (value != expected(window.first + i)) {
        return {false, fmt::format("element {}: expected {}, got {}", window.first + i,
                                   expected(window.first + i), value)};
      }
    }
    return {true, ""};
  }

  const void* function_;
  std::uint64_t seed_a_ = 0;
  std::uint64_t seed_b_ = 0;
  std::uint64_t wave_ = 1;
  Buffer a_;
  Buffer b_;
  Buffer out_;
};

}  // namespace

std::unique_ptr<Trial> make_stream(Gpu& gpu, const Case& c) {
  return std::make_unique<StreamTrial>(gpu, c);
}

}  // namespace kernels::cuda
