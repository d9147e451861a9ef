// Threads that sleep until they are given a task, as thread pools and task queues of programs do.
// For labs that measure what that costs: kernels run on Pool.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernels::cpu {

class Workers {
 public:
  using Task = std::function<void()>;

  /// One thread on each of these logical processors. Throws std::system_error where one cannot be
  /// started.
  explicit Workers(const std::vector<int>& processors);
  /// Drops the tasks that have not begun.
  ~Workers();

  int count() const { return static_cast<int>(queues_.size()); }
  /// Puts a task behind the others of that thread, and wakes it.
  void give(int worker, Task);
  /// Sleeps until every task that was given is done.
  void wait();

 private:
  void serve(std::size_t worker, int processor);
  void end();

  struct Queue {
    std::deque<Task> tasks;
    std::condition_variable filled;
  };
  std::mutex mutex_;
  std::deque<Queue> queues_;  // by thread
  std::condition_variable idle_;
  std::uint64_t unfinished_ = 0;
  bool quit_ = false;
  std::vector<std::jthread> threads_;  // last member: joined before the rest is destroyed
};

}  // namespace kernels::cpu
