// A thread that does jobs one after the other, so that no slow one holds up a frame.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace app {

class JobThread {
 public:
  JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  /// Never waits. A job with a name takes the place of one of that name that still waits.
  void post(std::function<void()>, const std::string& name = {});
  /// Waits until every job is done.
  void finish();

 private:
  struct Job {
    std::string name;
    std::function<void()> work;
  };
  void work(std::stop_token);

  std::mutex mutex_;  // of all below but the thread
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;
  bool busy_ = false;
  std::jthread thread_;  // last member: joined before the rest is destroyed
};

}  // namespace app
