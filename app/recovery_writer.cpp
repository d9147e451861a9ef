#include "app/recovery_writer.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace app {

RecoveryWriter::RecoveryWriter(std::filesystem::path folder, std::function<void()> wake)
    : folder_(std::move(folder)),
      wake_(std::move(wake)),
      thread_([this](std::stop_token quit) { work(std::move(quit)); }) {}

void RecoveryWriter::keep(const std::string& name, engine::Session session) {
  push(name, {What::keep, std::move(session), false});
}

void RecoveryWriter::drop(const std::string& name) { push(name, {What::drop, {}, false}); }

void RecoveryWriter::retire(const std::string& name, engine::Session session, bool asked_for) {
  push(name, {What::retire, std::move(session), asked_for});
}

void RecoveryWriter::push(const std::string& name, Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.insert_or_assign(name, std::move(job));
  changed_.notify_all();
}

void RecoveryWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
}

std::vector<std::string> RecoveryWriter::take_problems() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problems_, {});
}

void RecoveryWriter::work(std::stop_token quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return !jobs_.empty(); })) {
    const auto next = jobs_.extract(jobs_.begin());
    busy_ = true;
    lock.unlock();
    do_it(next.key(), next.mapped());
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void RecoveryWriter::do_it(const std::string& name, const Job& job) {
  try {
    switch (job.what) {
      case What::keep:
        folder_.write(name, job.session);
        break;
      case What::drop:
        folder_.remove(name);
        break;
      case What::retire:
        retire_now(name, job);
        break;
    }
    // What was removed says nothing of whether the disk takes more.
    if (job.what != What::drop) works_again();
  } catch (const std::exception& problem) {
    report(fmt::format("what is measured is not kept against a crash: {}", problem.what()));
  }
}

void RecoveryWriter::retire_now(const std::string& name, const Job& job) {
  const std::filesystem::path path = folder_.retire(name, job.session, job.asked_for);
  if (path.empty() || job.asked_for) return;
  const std::lock_guard lock(mutex_);
  retired_.push_back(path);
}

void RecoveryWriter::works_again() {
  const std::lock_guard lock(mutex_);
  last_problem_.clear();
}

void RecoveryWriter::report(const std::string& problem) {
  {
    const std::lock_guard lock(mutex_);
    // The next point finds the disk as full as it was.
    if (problem == last_problem_) return;
    last_problem_ = problem;
    problems_.push_back(problem);
  }
  wake_();
}

}  // namespace app
