#include "kernels/cpu/threads/workers.hpp"

#include <utility>

#include "kernels/cpu/threads/pool.hpp"

namespace kernels::cpu {

Workers::Workers(const std::vector<int>& processors) : queues_(processors.size()) {
  try {
    for (std::size_t worker = 0; worker < processors.size(); ++worker)
      threads_.emplace_back(
          [this, worker, processor = processors[worker]] { serve(worker, processor); });
  } catch (...) {
    end();  // those that have started wait for tasks, and the destructor will not run
    throw;
  }
}

Workers::~Workers() { end(); }

void Workers::end() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  for (Queue& queue : queues_) queue.filled.notify_one();
}

void Workers::give(int worker, Task task) {
  Queue& queue = queues_[static_cast<std::size_t>(worker)];
  {
    const std::scoped_lock lock(mutex_);
    queue.tasks.push_back(std::move(task));
    ++unfinished_;
  }
  queue.filled.notify_one();
}

void Workers::wait() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return unfinished_ == 0; });
}

void Workers::serve(std::size_t worker, int processor) {
  pin_to(processor);
  Queue& queue = queues_[worker];
  std::unique_lock lock(mutex_);
  for (;;) {
    queue.filled.wait(lock, [&] { return quit_ || !queue.tasks.empty(); });
    if (quit_) return;
    const Task task = std::move(queue.tasks.front());
    queue.tasks.pop_front();
    lock.unlock();
    task();
    lock.lock();
    if (--unfinished_ == 0) idle_.notify_all();
  }
}

}  // namespace kernels::cpu
