#include "kernels/cpu/threads/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <system_error>

#include "kernels/cpu/machine/topology.hpp"

namespace kernels::cpu {
namespace {

/// Spinning answers within a fraction of a microsecond, sleeping takes several; but who spins for
/// long takes the core from others. The gap between two launches of one region is far below this.
constexpr auto spin_time = std::chrono::microseconds(50);
constexpr int spins_per_look = 64;

/// Returns when `done()`: spins first, then sleeps on `word` until it changes.
template <class Done>
void wait_until(std::atomic<std::uint32_t>& word, Done done, ScheduledTime& scheduled) {
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + spin_time;
  do {
    for (int i = 0; i < spins_per_look; ++i) {
      if (done()) return;
      spin_pause();
    }
    sched_yield();  // for a core that others need too
  } while (Clock::now() < give_up);
  const auto asleep = Clock::now();
  for (std::uint32_t seen = word.load(std::memory_order_acquire); !done();
       seen = word.load(std::memory_order_acquire)) {
    word.wait(seen, std::memory_order_acquire);
  }
  scheduled.slept(std::chrono::duration<double>(Clock::now() - asleep).count());
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double ran_seconds() {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void ScheduledTime::begin() {
  wall_ = wall_seconds();
  ran_ = ran_seconds();
  slept_ = 0;
}

void ScheduledTime::update() {
  const double wall = wall_;
  const double ran = ran_;
  const double slept = slept_;
  begin();
  // The two clocks are not read at the same moment.
  missed_ += std::max(0.0, (wall_ - wall - slept) - (ran_ - ran));
}

bool pin_to(int processor) {
  cpu_set_t* set = CPU_ALLOC(processor + 1);
  const std::size_t size = CPU_ALLOC_SIZE(processor + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(processor, size, set);
  const bool done = sched_setaffinity(0, size, set) == 0;
  CPU_FREE(set);
  return done;
}

std::jthread Pool::start_thread(std::function<void()> function) {
  return std::jthread(std::move(function));
}

Pool::Pool(std::vector<int> processors, const Starter& starter)
    : processors_(std::move(processors)), scheduled_(processors_.size()) {
  try {
    for (int thread = 1; thread < threads(); ++thread) {
      helpers_.push_back(starter([this, thread] { serve(thread); }));
    }
  } catch (const std::system_error& error) {
    const std::size_t started = helpers_.size() + 1;
    end();  // those that have started wait for a launch, and the destructor will not run
    throw std::runtime_error(
        fmt::format("only {} of {} threads could be started ({}): raise the limit on processes "
                    "(ulimit -u) or use fewer cores (taskset)",
                    started, threads(), error.code().message()));
  }
}

Pool::~Pool() { end(); }

void Pool::end() {
  quit_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

void Pool::launch(Function function, void* context) {
  function_ = function;
  context_ = context;
  pending_.store(static_cast<std::uint32_t>(helpers_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  function(context, 0);
  wait_until(
      pending_, [this] { return pending_.load(std::memory_order_acquire) == 0; },
      scheduled_.front());
}

void Pool::let_others_sleep() {
  const auto end = std::chrono::steady_clock::now() + 2 * spin_time;
  while (std::chrono::steady_clock::now() < end) spin_pause();
}

double Pool::missed_seconds() {
  const PinnedCaller pinned(*this);
  auto update = [this](int thread) { scheduled_[static_cast<std::size_t>(thread)].update(); };
  launch(update);
  double sum = 0;
  for (const ScheduledTime& one : scheduled_) sum += one.missed();
  return sum;
}

void Pool::serve(int thread) {
  pin_to(processors_[static_cast<std::size_t>(thread)]);
  const FlushToZero flush;
  ScheduledTime& scheduled = scheduled_[static_cast<std::size_t>(thread)];
  scheduled.begin();
  for (std::uint32_t seen = 0;; ++seen) {
    wait_until(
        generation_, [&] { return generation_.load(std::memory_order_acquire) != seen; },
        scheduled);
    if (quit_.load(std::memory_order_relaxed)) return;
    function_(context_, thread);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_one();
  }
}

Pool::PinnedCaller::PinnedCaller(Pool& pool)
    : scheduled_(pool.scheduled_.front()), old_(affinity_mask()) {
  pinned_ = !old_.empty() && pin_to(pool.processors_.front());
  scheduled_.begin();
}

Pool::PinnedCaller::~PinnedCaller() {
  scheduled_.update();
  if (pinned_) sched_setaffinity(0, old_.size() * sizeof(cpu_set_t), old_.data());
}

}  // namespace kernels::cpu
