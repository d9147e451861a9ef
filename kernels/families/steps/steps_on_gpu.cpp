// Family `steps`: kernels in a stream, in a graph, before the one before has ended, or all in one.
#include <fmt/format.h>

#include "kernels/cuda/runtime/graph.hpp"
#include "kernels/cuda/runtime/host_time.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/steps/steps.hpp"
#include "kernels/families/steps/steps_arguments.hpp"
#include "kernels/families/steps/steps_body.hpp"

namespace kernels::cuda {
namespace {

/// Timed by the host: what a program waits for.
class StepsTrial final : public LaunchTrial {
 public:
  StepsTrial(Gpu& gpu, const Case& c) : LaunchTrial(gpu, c), start_(start_of(c, "cuda")) {
    take(c.elements);
    out_ = room_for(c.elements);
    other_ = room_for(c.elements);
    if (start_ == Start::persistent) arrived_ = room_for(1, Dtype::int32);
    fill(Contents::case_data, {});
    if (start_ == Start::graph) graph_.record(gpu.stream(), [this] { queue_all(); });
  }

  Sample run(std::stop_token stop) override {
    gpu_.activate();
    const double start = host_seconds();
    queue(stop);
    const double queued = host_seconds() - start;
    gpu_.timer().finish_exactly();
    const double all = host_seconds() - start;
    if (stop.stop_requested()) throw Cancelled();
    Sample sample{.seconds = all, .launched = launched()};
    if (start_ != Start::wait) note_queue(queued, all, sample.values, sample.spans);
    return sample;
  }
  Sample run_for(double seconds, std::stop_token stop) override {
    return Trial::run_for(seconds, stop);
  }
  void once(std::stop_token stop) override { run(stop); }
  void settle(std::stop_token) override {}

 private:
  const Buffer& result() const override { return written_by(case_.repeat - 1); }
  void spoil_more() override { gpu_.clear(written_by(case_.repeat), 0xff); }
  void enqueue(std::uint64_t, std::uint64_t, std::uint64_t, cudaStream_t) override { queue_all(); }

  Launched launched() const { return start_ == Start::graph ? Launched::graph : Launched::stream; }
  std::uint64_t blocks() const { return (case_.elements + step_threads - 1) / step_threads; }

  StepArguments step(std::uint64_t number) const {
    return {number == 0 ? in<float>(0) : written_by(number - 1).as<const float>(),
            written_by(number).as<float>(),
            other_.as<float>(),
            arrived_.as<std::uint32_t>(),
            static_cast<std::uint32_t>(case_.elements),
            static_cast<std::uint32_t>(case_.repeat)};
  }

  /// Everything that the host has to do until it waits.
  void queue(const std::stop_token& stop) {
    if (start_ == Start::graph) return graph_.launch(gpu_.stream());
    if (start_ != Start::wait) return queue_all();
    for (std::uint64_t i = 0; i < case_.repeat && !stop.stop_requested(); ++i) {
      launch(step_kernels().plain, blocks(), step_threads, step(i), gpu_.stream());
      gpu_.timer().finish();
    }
  }

  void queue_all() {
    StepArguments first = step(0);
    if (start_ == Start::persistent) {
      gpu_.clear(arrived_);
      return launch_together(step_kernels().persistent, blocks(), step_threads, &first,
                             gpu_.stream());
    }
    for (std::uint64_t i = 0; i < case_.repeat; ++i) {
      StepArguments arguments = step(i);
      if (start_ == Start::dependent) {
        launch_early(step_kernels().dependent, blocks(), step_threads, &arguments, gpu_.stream());
      } else {
        launch(step_kernels().plain, blocks(), step_threads, arguments, gpu_.stream());
      }
    }
  }

  Start start_;
  Buffer arrived_;
  Graph graph_;
};

std::unique_ptr<Trial> prepare(const Services& services, const Case& c) {
  const Start start = start_of(c, "cuda");
  Gpu& gpu = services.gpu;
  if (start >= Start::call)
    throw Unsupported(
        fmt::format("{} starts steps on a CPU", text_of(c.family->axes[0], c.more[0])));
  constexpr int least = 90;
  if (start == Start::dependent && gpu.capability() < least)
    throw Unsupported(
        fmt::format("dependent launches need compute capability 9.0; this GPU has {}.{}",
                    gpu.capability() / 10, gpu.capability() % 10));
  // Blocks that wait for each other all run at once.
  const auto most = static_cast<std::uint64_t>(gpu.multiprocessors()) * step_threads;
  if (start == Start::persistent && c.elements > most)
    throw Unsupported(
        fmt::format("steps in one kernel have {} elements at most here, one warp on each "
                    "multiprocessor",
                    most));
  return std::make_unique<StepsTrial>(gpu, c);
}

}  // namespace

extern const FamilyOnGpu steps_on_gpu{
    .family = Family::steps, .note = "a warp on each multiprocessor", .prepare = prepare};

}  // namespace kernels::cuda
