#include "kernels/cuda/runtime/runner.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cuda/runtime/runtime.hpp"

namespace kernels::cuda {
namespace {

// What CUDA events resolve.
constexpr double clock_step = 0.5e-6;
// Of the shortest region: so that the next one is not shorter by chance.
constexpr double aimed = 1.3;
// No launch takes less than 0.1 us.
constexpr std::uint64_t most_runs = 2000;
// What may be queued between two looks at the stop token.
constexpr double longest_region = 0.1;
constexpr double longest_launch = 0.05;
constexpr double aimed_batch = 0.05;
// Of the about 1000 launches that a stream takes before it makes the host wait.
constexpr std::uint64_t held_launches = 256;

void throw_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

}  // namespace

std::uint64_t Runner::slices() const { return workload_.steps() * slices_per_step_; }

std::uint64_t Runner::slices_per_batch() const {
  const double slice = step_seconds_ / static_cast<double>(slices_per_step_);
  return static_cast<std::uint64_t>(std::clamp(aimed_batch / slice, 1.0, 1e6));
}

double Runner::run(std::stop_token stop) {
  settle(stop);
  if (long_) return long_run(stop);
  for (;;) {
    const double region = region_of(runs_);
    clock_hz_ = timer_.clock_hz();
    throw_if_stopped(stop);
    const double seconds = std::max(region, clock_step) / static_cast<double>(runs_);
    if (region >= workload_.shortest_region() || runs_ == most_runs) return seconds;
    const double wanted = std::ceil(aimed * workload_.shortest_region() / seconds);
    runs_ = static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(most_runs)));
  }
}

double Runner::run_for(double seconds, std::stop_token stop) {
  double one = run(stop);
  const double runs = std::clamp(std::ceil(aimed_batch / one), 1.0, double{most_runs});
  for (double passed = 0; passed < seconds; passed += one * (long_ ? 1 : runs)) {
    one = long_ ? run(stop) : region_of(static_cast<std::uint64_t>(runs)) / runs;
    clock_hz_ = timer_.clock_hz();
    throw_if_stopped(stop);
  }
  return one;
}

std::string Runner::note() const {
  if (!holds_.given_up()) return note_;
  return note_ + (note_.empty() ? "" : "; ") +
         "its times include queueing: the wait that holds the stream timed out three times in a "
         "row; a debugger or CUDA_LAUNCH_BLOCKING can cause this";
}

void Runner::settle(std::stop_token stop) {
  throw_if_stopped(stop);
  if (step_seconds_ == 0) calibrate(stop);
}

void Runner::once(std::stop_token stop) {
  settle(stop);
  const std::uint64_t batch = slices_per_batch();
  for (std::uint64_t slice = 0; slice < slices(); ++slice) {
    enqueue_slice(slice);
    if ((slice + 1) % batch == 0) {
      timer_.finish();
      throw_if_stopped(stop);
    }
  }
  timer_.finish();
}

// A part that fills the device once tells how much can be launched at a time; then the whole step,
// where that is short enough, tells its time.
void Runner::calibrate(std::stop_token stop) {
  const std::uint64_t units = workload_.units();
  const std::uint64_t part = std::min(units, std::max<std::uint64_t>(1, workload_.wave()));
  const auto timed = [&](std::uint64_t count) {
    const auto queue = [&] { workload_.enqueue(0, 0, count, stream_); };
    return std::max(clock_step, timer_.warm_region(holds_, queue));
  };
  double seconds = timed(part) * static_cast<double>(units) / static_cast<double>(part);
  throw_if_stopped(stop);
  if (part < units && seconds < longest_launch) seconds = timed(units);
  slices_per_step_ =
      std::min(units, static_cast<std::uint64_t>(std::ceil(seconds / longest_launch)));
  long_ = seconds * static_cast<double>(workload_.steps()) > longest_region;
  as_graph_ =
      mode_ == LaunchMode::graph || (mode_ == LaunchMode::graph_if_short && seconds < short_launch);
  throw_if_stopped(stop);
  step_seconds_ = seconds;
}

double Runner::region_of(std::uint64_t runs) {
  if (as_graph_) {
    if (graph_runs_ != runs) {
      graph_runs_ = 0;
      graph_.record(stream_, [&] { enqueue_runs(runs); });
      graph_runs_ = runs;
    }
    note_ = "launches replayed as a graph";
    return timer_.region(holds_, [&] { graph_.launch(stream_); });
  }
  note_ = mode_ == LaunchMode::stream ? "launched one by one in a stream" : "";
  Holds none(false);
  return timer_.region(mode_ == LaunchMode::stream ? none : holds_, [&] { enqueue_runs(runs); });
}

void Runner::enqueue_runs(std::uint64_t runs) {
  std::uint64_t launches = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    for (std::uint64_t slice = 0; slice < slices(); ++slice) {
      if (++launches == held_launches) timer_.release();
      enqueue_slice(slice);
    }
  }
}

// Slice s is part s % slices_per_step_ of step s / slices_per_step_.
void Runner::enqueue_slice(std::uint64_t slice) {
  const std::uint64_t units = workload_.units();
  const std::uint64_t part = slice % slices_per_step_;
  const std::uint64_t each = (units + slices_per_step_ - 1) / slices_per_step_;
  const std::uint64_t first = std::min(units, part * each);
  const std::uint64_t count = std::min(each, units - first);
  if (count > 0) workload_.enqueue(slice / slices_per_step_, first, count, stream_);
}

// Adds up batches; the stream is empty for a moment between them, outside the timed regions.
double Runner::long_run(std::stop_token stop) {
  note_ = slices_per_step_ > 1 ? "each launch cut into slices so that it can be stopped" : "";
  const std::uint64_t batch = slices_per_batch();
  double seconds = 0, clocked_seconds = 0, cycles = 0;
  for (std::uint64_t slice = 0; slice < slices(); slice += batch) {
    throw_if_stopped(stop);
    const double part = measured_slices(slice, std::min(slices(), slice + batch));
    seconds += part;
    if (!timer_.clock_hz()) continue;
    clocked_seconds += part;
    cycles += part * *timer_.clock_hz();
  }
  throw_if_stopped(stop);
  clock_hz_.reset();
  if (clocked_seconds > 0) clock_hz_ = cycles / clocked_seconds;
  return seconds;
}

double Runner::measured_slices(std::uint64_t from, std::uint64_t to) {
  return timer_.region(holds_, [&] {
    for (std::uint64_t slice = from; slice < to; ++slice) {
      if (slice - from == held_launches) timer_.release();
      enqueue_slice(slice);
    }
  });
}

}  // namespace kernels::cuda
