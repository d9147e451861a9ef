#include "app/jobs/job_thread.hpp"

#include <algorithm>
#include <utility>

namespace app {

JobThread::JobThread() : thread_([this](std::stop_token quit) { work(std::move(quit)); }) {}

void JobThread::post(std::function<void()> job, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto waiting = std::ranges::find(jobs_, name, &Job::name);
  if (!name.empty() && waiting != jobs_.end()) {
    waiting->work = std::move(job);
  } else {
    jobs_.push_back({name, std::move(job)});
  }
  changed_.notify_all();
}

void JobThread::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
}

void JobThread::work(std::stop_token quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return !jobs_.empty(); })) {
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    job.work();
    job = {};  // what it holds may be large
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace app
