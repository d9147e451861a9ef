// Writes the recovery files of a window on a thread of its own, so that no slow disk holds up a
// frame. Knows nothing of when that is due (ui/keeping.hpp).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/session.hpp"
#include "ui/recovery.hpp"

namespace app {

class RecoveryWriter {
 public:
  /// `wake` is called from the thread when there is a problem to take.
  RecoveryWriter(std::filesystem::path folder, std::function<void()> wake);
  RecoveryWriter(const RecoveryWriter&) = delete;
  RecoveryWriter& operator=(const RecoveryWriter&) = delete;

  /// As RecoveryFolder says. To be called first.
  ui::Leftovers take_over() { return folder_.take_over(); }
  /// Each replaces what the same name still waits for. Never waits.
  void keep(const std::string& name, engine::Session);
  void drop(const std::string& name);
  void retire(const std::string& name, engine::Session, bool asked_for);
  /// Waits until everything is written.
  void finish();
  /// One sentence for each new reason why a file could not be written.
  std::vector<std::string> take_problems();
  /// The recovery files that are there.
  std::vector<std::filesystem::path> files() const { return folder_.files(); }
  /// The last sessions that were written without being asked for. To be called after finish().
  const std::vector<std::filesystem::path>& retired() const { return retired_; }

 private:
  enum class What : std::uint8_t { keep, drop, retire };
  struct Job {
    What what = What::drop;
    engine::Session session;
    bool asked_for = false;
  };

  void push(const std::string& name, Job);
  void work(std::stop_token);
  void works_again();
  void report(const std::string& problem);
  void retire_now(const std::string& name, const Job&);
  void do_it(const std::string& name, const Job&);

  ui::RecoveryFolder folder_;
  std::function<void()> wake_;
  std::mutex mutex_;  // of all below but the thread
  std::condition_variable_any changed_;
  std::map<std::string, Job> jobs_;
  bool busy_ = false;
  std::vector<std::filesystem::path> retired_;
  std::vector<std::string> problems_;
  std::string last_problem_;
  std::jthread thread_;  // last member: joined before the rest is destroyed
};

}  // namespace app
