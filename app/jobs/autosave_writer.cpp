#include "app/jobs/autosave_writer.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace app {

AutosaveWriter::AutosaveWriter(std::filesystem::path folder, std::function<void()> wake)
    : folder_(std::move(folder)),
      wake_(std::move(wake)),
      thread_([this](std::stop_token quit) { work(std::move(quit)); }) {}

void AutosaveWriter::keep(const std::string& name, engine::Session session) {
  push(name, {What::keep, std::move(session)});
}

void AutosaveWriter::drop(const std::string& name) { push(name, {What::drop, {}}); }

void AutosaveWriter::push(const std::string& name, Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.insert_or_assign(name, std::move(job));
  changed_.notify_all();
}

void AutosaveWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
}

std::vector<std::string> AutosaveWriter::take_problems() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problems_, {});
}

void AutosaveWriter::work(std::stop_token quit) {
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

void AutosaveWriter::do_it(const std::string& name, const Job& job) {
  try {
    switch (job.what) {
      case What::keep:
        folder_.write(name, job.session);
        break;
      case What::drop:
        folder_.remove(name);
        break;
    }
    // What was removed says nothing of whether the disk takes more.
    if (job.what != What::drop) works_again();
  } catch (const std::exception& problem) {
    report(fmt::format("autosave failed, and a crash would lose these measurements: {}",
                       problem.what()));
  }
}

void AutosaveWriter::works_again() {
  const std::lock_guard lock(mutex_);
  last_problem_.clear();
}

void AutosaveWriter::report(const std::string& problem) {
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
