#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/divergence.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {
namespace {

/// FMA of the reference of one verification: about 20 ms on the host.
constexpr std::uint64_t reference_fma = 1'000'000;

class DivergenceTrial final : public LaunchTrial {
 public:
  DivergenceTrial(Gpu& gpu, const Case& c)
      : LaunchTrial(gpu, c, LaunchMode::graph_if_short),
        seed_(gpu.next_seed()),
        wave_(gpu.resident_blocks(divergence_function(), block_threads)) {
    const double bytes = static_cast<double>(c.elements) * sizeof(float);
    for (Buffer* buffer : {&in_, &path_, &out_}) *buffer = gpu.pool().take(bytes);
    std::vector<float> paths(c.elements);
    for (std::uint64_t i = 0; i < c.elements; ++i)
      paths[i] = static_cast<float>(path_of(i, paths_of(c)));
    gpu.write(path_.data(), paths.data(), paths.size() * sizeof(float));
    fill(c.data);
  }

  Check verify(std::stop_token stop) override {
    gpu_.activate();
    settle(stop);
    if (case_.data != Data::random) fill(Data::random);
    Check check = check_coverage(gpu_, out_, sizeof(float), [&] { once(stop); });
    if (check.ok) check = compare();
    if (case_.data != Data::random) fill(case_.data);
    return check;
  }

 private:
  std::uint64_t steps() const override { return 1; }
  std::uint64_t units() const override {
    return (case_.elements + block_threads - 1) / block_threads;
  }
  std::uint64_t wave() const override { return wave_; }

  void enqueue(std::uint64_t, std::uint64_t first, std::uint64_t count,
               cudaStream_t stream) override {
    const std::uint64_t begin = first * block_threads;
    const DivergenceArguments arguments{
        .in = in_.as<const float>() + begin,
        .path = path_.as<const float>() + begin,
        .out = out_.as<float>() + begin,
        .elements = std::min<std::uint64_t>(case_.elements - begin, count * block_threads),
        .repeat = static_cast<std::uint32_t>(case_.repeat)};
    launch(divergence_function(), count, block_threads, arguments, stream);
  }

  void fill(Data data) {
    if (data == Data::random) return gpu_.fill(in_.data(), case_.dtype, case_.elements, seed_);
    check(cudaMemsetAsync(in_.data(), 0, in_.bytes(), gpu_.stream()), "filling device memory");
  }

  Check compare() const {
    const std::uint64_t samples =
        std::clamp<std::uint64_t>(reference_fma / case_.repeat, 256, 16384);
    Deviation deviation;
    for (const Window& window : sample_windows(case_.elements, samples, seed_)) {
      const auto got =
          read_bytes(gpu_, out_.as<const unsigned char>() + window.first * sizeof(float),
                     window.count * sizeof(float));
      for (std::uint64_t i = 0; i < window.count; ++i) {
        const std::uint64_t index = window.first + i;
        const double x = random_element(case_.dtype, seed_, index);
        const double expected = expected_divergence(case_, true, index, x);
        const double value = decode(case_.dtype, element_bits(got, sizeof(float), i));
        if (!chain_agrees(expected, value))
          return {false, fmt::format("element {}: expected {}, got {}", index, expected, value)};
        deviation.add(exact_divergence(case_, index, x), value);
      }
    }
    return {.ok = true, .error = deviation.share()};
  }

  std::uint64_t seed_;
  std::uint64_t wave_;
  Buffer in_, path_, out_;
};

}  // namespace

std::unique_ptr<Trial> make_divergence(Gpu& gpu, const Case& c) {
  if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
  return std::make_unique<DivergenceTrial>(gpu, c);
}

}  // namespace kernels::cuda
