// What all trials share, and the empty kernel.
#include <algorithm>
#include <cmath>

#include "kernels/cuda/bodies/pattern.hpp"
#include "kernels/cuda/runtime/inspect.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/scoped.hpp"

namespace kernels::cuda {
namespace {

LaunchMode mode_of(const Case& c) {
  return chosen_on("launch", c) == "graph" ? LaunchMode::graph : LaunchMode::stream;
}

/// `repeat` empty kernels: one by one in a stream, the host's time included, or replayed as a
/// graph, as short unfused chains are.
class EmptyTrial final : public LaunchTrial {
 public:
  EmptyTrial(Gpu& gpu, const Case& c) : LaunchTrial(gpu, c, mode_of(c)) {}

  Check verify(std::stop_token stop) override {
    gpu_.activate();
    once(stop);
    return {true, ""};
  }

 private:
  std::uint64_t steps() const override { return case_.repeat; }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    check(cudaLaunchKernel(service_kernels().empty, dim3(1), dim3(1), nullptr, 0, stream),
          "launching an empty kernel");
  }
};

/// Fills a tensor with elements of a pattern.
void fill_pattern(Gpu& gpu, const Buffer& out, Dtype dtype, std::uint64_t count, std::uint64_t seed,
                  Pattern pattern) {
  if (pattern == Pattern::random) return gpu.fill(out.data(), dtype, count, seed);
  if (pattern == Pattern::zeros) return gpu.clear(out);
  constexpr int threads = 256;
  const std::uint64_t blocks = std::clamp<std::uint64_t>(
      (count + threads - 1) / threads, 1, 32ULL * static_cast<unsigned>(gpu.multiprocessors()));
  launch(pattern_function(), blocks, threads,
         PatternArguments{out.data(), count, seed, dtype, pattern}, gpu.stream());
  gpu.timer().finish();
}

}  // namespace

LaunchTrial::LaunchTrial(Gpu& gpu, const Case& c, LaunchMode mode)
    : gpu_(gpu), case_(c), now_(c), runner_(*this, gpu.timer(), gpu.stream(), mode) {
  if (c.family->role == Role::bandwidth) values_ = {{"event floor", gpu.event_floor()}};
}

Sample LaunchTrial::run(std::stop_token stop) {
  gpu_.activate();
  return sample(runner_.run(stop));
}

Sample LaunchTrial::run_for(double seconds, std::stop_token stop) {
  gpu_.activate();
  return sample(runner_.run_for(seconds, stop));
}

Sample LaunchTrial::sample(double seconds) const {
  const std::string launches = runner_.note();
  return {.seconds = seconds,
          .clock_hz = runner_.clock_hz(),
          .launched = runner_.launched(),
          .note = note_,
          .remark = remark_ + (remark_.empty() || launches.empty() ? "" : "; ") + launches,
          .values = values_};
}

std::uint64_t LaunchTrial::peak_waves() {
  constexpr double run_seconds = 1e-3;
  const std::uint64_t count = std::min(units(), wave_);
  Holds holds;
  const double wave = gpu_.timer().warm_region(holds, [&] { enqueue(0, 0, count, gpu_.stream()); });
  return static_cast<std::uint64_t>(std::clamp(std::ceil(run_seconds / wave), 1.0, 64.0));
}

bool LaunchTrial::cold() const {
  return footprint_of(case_) > 0 && footprint_of(case_) >= 4 * gpu_.l2_bytes();
}

Check LaunchTrial::verify(std::stop_token stop) {
  gpu_.activate();
  settle(stop);
  return case_.family->check(*this, stop);
}

Buffer LaunchTrial::room_for(std::uint64_t elements, Dtype dtype) const {
  return gpu_.pool().take(static_cast<double>(elements) * static_cast<double>(size_of(dtype)));
}

void LaunchTrial::take(std::uint64_t elements) {
  inputs_.push_back({room_for(elements), elements, gpu_.next_seed()});
}

Pattern LaunchTrial::pattern_of(std::size_t which) const {
  if (holds_ == Contents::exact) return which == 0 ? Pattern::unit_rows : Pattern::signs;
  return holds_ == Contents::case_data ? cuda::pattern_of(case_.data) : Pattern::random;
}

void LaunchTrial::fill(Contents what, const std::stop_token&) {
  holds_ = what;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Tensor& one = inputs_[i];
    if (one.pattern == pattern_of(i)) continue;
    one.pattern.reset();  // a fill that fails leaves neither
    fill_pattern(gpu_, one.buffer, case_.dtype, one.elements, one.seed, pattern_of(i));
    one.pattern = pattern_of(i);
  }
}

double LaunchTrial::input(std::size_t which, std::uint64_t index) const {
  return decode(case_.dtype,
                pattern_bits(pattern_of(which), case_.dtype, inputs_[which].seed, index));
}

Covered LaunchTrial::run_poisoned(const Case& now, const Operands& operands,
                                  const std::stop_token& stop) {
  const ScopedValue runs(now_, now);
  const ScopedValue with(operands_, operands);
  last_ = &result();
  return {.check = check_coverage(gpu_, result(), size_of(result_dtype()), [&] {
            spoil_more();
            once(stop);
          })};
}

std::vector<double> LaunchTrial::read(const Window& window) const {
  return read_values(gpu_, *last_, result_dtype(), window);
}

extern const FamilyOnGpu launch_on_gpu{
    .family = Family::launch,
    .note = "empty kernel; one by one in a stream, or replayed as a graph",
    .axes = [](const Case&, const GpuFacts&) -> std::vector<ShapeAxis> {
      return {{"launch", {"stream", "graph"}}};
    },
    .prepare = prepare_with<EmptyTrial>};

}  // namespace kernels::cuda
