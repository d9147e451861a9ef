// Runs a case as launches: how many runs make a timed region, how a long run is cut so that it can
// be stopped, and when launches are replayed as a graph. Knows nothing of what the launches
// compute.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "kernels/cuda/runtime/graph.hpp"
#include "kernels/cuda/runtime/timer.hpp"
#include "kernels/device.hpp"

namespace kernels::cuda {

/// A case as launches on a stream: `steps` that depend on one another, each of `units` independent
/// parts (blocks), so that a step can be cut into several launches.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual std::uint64_t steps() const = 0;
  virtual std::uint64_t units() const = 0;
  /// Units that fill the device once: the smallest part whose time says something.
  virtual std::uint64_t wave() const = 0;
  /// Seconds that a timed region lasts at least; as many runs are queued in a row as that takes.
  virtual double shortest_region() const = 0;
  virtual void enqueue(std::uint64_t step, std::uint64_t first, std::uint64_t count,
                       cudaStream_t stream) = 0;
};

/// How launches shorter than `short_launch` reach the device.
enum class LaunchMode {
  graph_if_short,  ///< as one graph: their queueing would take longer than they do
  graph,           ///< always one graph
  held,            ///< one by one behind a hold: calls that a graph may not record
  stream,          ///< one by one, the host's time included
};

class Runner {
 public:
  Runner(Workload& workload, Timer& timer, cudaStream_t stream, LaunchMode mode)
      : workload_(workload), timer_(timer), stream_(stream), mode_(mode) {}

  /// Seconds of one run, over a region of at least shortest_region(). Throws Cancelled, DeviceLost.
  double run(std::stop_token stop);

  /// Runs back to back for about so many seconds; the seconds of one run at their end. Throws as
  /// run() does.
  double run_for(double seconds, std::stop_token stop);

  /// Estimates a run's time and decides how it is launched, once.
  void settle(std::stop_token stop);

  /// One run, not timed, to its end.
  void once(std::stop_token stop);

  /// Clock of the multiprocessors in the last run, Hz; over its batches their mean by time.
  std::optional<double> clock_hz() const { return clock_hz_; }

  /// How runs are launched: as a graph, or one by one in a stream, held or not.
  Launched launched() const { return as_graph_ && !long_ ? Launched::graph : Launched::stream; }

  /// How the last run was launched, in words; empty when in the plain way.
  std::string note() const;

 private:
  void calibrate(std::stop_token stop);
  double region_of(std::uint64_t runs);
  double long_run(std::stop_token stop);
  double measured_slices(std::uint64_t from, std::uint64_t to);
  void enqueue_runs(std::uint64_t runs);
  void enqueue_slice(std::uint64_t slice);
  std::uint64_t slices() const;
  std::uint64_t slices_per_batch() const;

  Workload& workload_;
  Timer& timer_;
  cudaStream_t stream_;
  LaunchMode mode_;
  Holds holds_;
  // Estimated once and then kept, so that all samples of a point are launched alike.
  double step_seconds_ = 0;  // 0 = not calibrated
  std::uint64_t slices_per_step_ = 1;
  bool long_ = false;  // too long for one region
  bool as_graph_ = false;
  std::uint64_t runs_ = 1;  // per region
  Graph graph_;             // of graph_runs_ runs
  std::uint64_t graph_runs_ = 0;
  std::optional<double> clock_hz_;
  std::string note_;
};

}  // namespace kernels::cuda
