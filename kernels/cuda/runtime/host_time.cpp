#include "kernels/cuda/runtime/host_time.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace kernels::cuda {
namespace {

// Longer than a pause between two visits, and soon over when measuring ends: an idle program
// sleeps.
constexpr double awake_for = 1;

}  // namespace

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void host_pause(bool near) {
  if (near) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

struct Background::State {
  std::function<void()> work;
  std::chrono::duration<double> period;
  std::mutex mutex;
  std::condition_variable_any changed;
  double until = 0;     // by host_seconds()
  std::jthread thread;  // last: it uses the others

  void run(const std::stop_token& quit) {
    std::unique_lock lock(mutex);
    const auto awake = [this] { return host_seconds() < until; };
    while (changed.wait(lock, quit, awake) && !quit.stop_requested()) {
      lock.unlock();
      work();
      lock.lock();
      changed.wait_for(lock, quit, period, [] { return false; });
    }
  }
};

Background::Background(std::function<void()> work, double period)
    : state_(std::make_unique<State>()) {
  state_->work = std::move(work);
  state_->period = std::chrono::duration<double>(period);
}

Background::~Background() = default;

void Background::keep_on() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->until = host_seconds() + awake_for;
    if (!state_->thread.joinable()) {
      state_->thread =
          std::jthread([state = state_.get()](std::stop_token quit) { state->run(quit); });
    }
  }
  state_->changed.notify_all();
}

}  // namespace kernels::cuda
