// Threads pinned to cores that run one function together: what a kernel launch is on a CPU.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "kernels/cpu/machine/processor.hpp"

namespace kernels::cpu {

/// Pins the calling thread. Fails where the mask has changed since the start; the thread then runs
/// where the system puts it.
bool pin_to(int processor);

/// For how long a thread that wanted to run was not scheduled. Each thread updates its own: time
/// awake minus CPU time is what other work took. Costs nothing between the calls.
class alignas(64) ScheduledTime {  // a cache line each
 public:
  /// From here on the thread wants to run.
  void begin();
  /// It wanted nothing for some time.
  void slept(double seconds) { slept_ += seconds; }
  /// Adds what has been missed since begin() or the last call.
  void update();

  double missed() const { return missed_; }  ///< s

 private:
  double wall_ = 0;  // at begin() or the last update(), as the next
  double ran_ = 0;
  double slept_ = 0;  // since then
  double missed_ = 0;
};

/// One thread per given processor. The first is the thread that calls launch(), within a
/// PinnedCaller scope.
class Pool {
 public:
  /// Starts a thread that runs the function; throws std::system_error where the system has none.
  using Starter = std::function<std::jthread(std::function<void()>)>;

  /// `processors`: logical processor of each thread, at least one. Throws std::runtime_error with a
  /// sentence when a thread cannot be started.
  explicit Pool(std::vector<int> processors, const Starter& starter = start_thread);
  ~Pool();

  int threads() const { return static_cast<int>(processors_.size()); }
  /// The logical processor of each thread.
  const std::vector<int>& processors() const { return processors_; }

  /// Keeps the calling thread at work until the others have gone to sleep, 0.1 ms: before others
  /// use their cores. Else what these take would look like time that our threads missed.
  static void let_others_sleep();

  /// The calling thread slept by itself, or waited for threads that are not ours: what it has
  /// missed since it was pinned does not count.
  void caller_slept() { scheduled_.front().begin(); }

  /// Seconds that threads wanted to run and did not, all together since the pool began: others ran
  /// on their cores. Asks every thread, so it is itself a launch.
  double missed_seconds();

  /// Runs body(thread) on every thread and returns when all are done: one dispatch and one join.
  template <class Body>
  void launch(Body& body) {
    launch([](void* context, int thread) { (*static_cast<Body*>(context))(thread); }, &body);
  }

  /// While it lives, the calling thread is pinned to the first processor and flushes subnormals to
  /// zero, as the others always do; then it is what it was before.
  class PinnedCaller;

 private:
  using Function = void (*)(void* context, int thread);
  void launch(Function function, void* context);
  void serve(int thread);
  void end();
  static std::jthread start_thread(std::function<void()> function);

  std::vector<int> processors_;
  std::vector<ScheduledTime> scheduled_;  // by thread
  Function function_ = nullptr;           // with context_: what the current generation runs
  void* context_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> generation_ = 0;
  alignas(64) std::atomic<std::uint32_t> pending_ = 0;
  std::atomic<bool> quit_ = false;
  std::vector<std::jthread> helpers_;  // last member: joined before the rest is destroyed
};

class Pool::PinnedCaller {
 public:
  explicit PinnedCaller(Pool&);
  ~PinnedCaller();

 private:
  FlushToZero flush_;
  ScheduledTime& scheduled_;
  std::vector<cpu_set_t> old_;
  bool pinned_ = false;
};

}  // namespace kernels::cpu
