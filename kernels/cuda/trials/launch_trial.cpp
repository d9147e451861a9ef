// What all trials share, and the empty kernel.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"

namespace kernels::cuda {
namespace {

LaunchMode mode_of(const Case& c) {
  const bool graph = std::ranges::find(c.shape, ShapeChoice{"launch", "graph"}) != c.shape.end();
  return graph ? LaunchMode::graph : LaunchMode::stream;
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
  std::uint64_t units() const override { return 1; }
  std::uint64_t wave() const override { return 1; }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t stream) override {
    check(cudaLaunchKernel(service_kernels().empty, dim3(1), dim3(1), nullptr, 0, stream),
          "launching an empty kernel");
  }
};

}  // namespace

LaunchTrial::LaunchTrial(Gpu& gpu, const Case& c, LaunchMode mode)
    : gpu_(gpu), case_(c), runner_(*this, gpu.timer(), gpu.stream(), mode) {
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

bool LaunchTrial::cold() const {
  return footprint_of(case_) > 0 && footprint_of(case_) >= 4 * gpu_.l2_bytes();
}

std::vector<ShapeAxis> launch_axes() { return {{"launch", {"stream", "graph"}}}; }

std::unique_ptr<Trial> make_launch(Gpu& gpu, const Case& c) {
  return std::make_unique<EmptyTrial>(gpu, c);
}

}  // namespace kernels::cuda
