// What runs beside the measuring thread, on real threads and the real clock.
#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>

#include "kernels/cuda/runtime/host_time.hpp"

using kernels::cuda::Background;

namespace {

/// Counts calls; a test waits for one of them.
class Calls {
 public:
  void add() {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
  }
  int count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

}  // namespace

TEST_CASE("nothing runs in the background before somebody asks for it") {
  Calls calls;
  {
    const Background background([&] { calls.add(); }, 1e-3);
  }
  CHECK(calls.count() == 0);
}

TEST_CASE("work in the background goes on while it is asked for") {
  Calls calls;
  Background background([&] { calls.add(); }, 1e-3);
  background.keep_on();
  calls.wait_for(3);
  background.keep_on();
  calls.wait_for(calls.count() + 2);
}

TEST_CASE("the end waits for the call at hand alone, however long the work was asked for") {
  Calls calls;
  const double hour = 3600;
  const double begin = kernels::cuda::host_seconds();
  {
    Background background([&] { calls.add(); }, hour);
    background.keep_on();
    calls.wait_for(1);
  }
  CHECK(calls.count() == 1);
  CHECK(kernels::cuda::host_seconds() - begin < hour);
}
