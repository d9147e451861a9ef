// Writes the autosave files of a window on a thread of its own, so that no slow disk holds up a
// frame. Knows nothing of when that is due (ui/autosave/autosave.hpp).
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

#include "engine/session/session.hpp"
#include "ui/autosave/autosave_folder.hpp"

namespace app {

class AutosaveWriter {
 public:
  /// `wake` is called from the thread when there is a problem to take.
  AutosaveWriter(std::filesystem::path folder, std::function<void()> wake);
  AutosaveWriter(const AutosaveWriter&) = delete;
  AutosaveWriter& operator=(const AutosaveWriter&) = delete;

  /// As AutosaveFolder says. To be called first.
  ui::Leftovers take_over() { return folder_.take_over(); }
  /// Each replaces what the same name still waits for. Never waits.
  void keep(const std::string& name, engine::Session);
  void drop(const std::string& name);
  /// Waits until everything is written.
  void finish();
  /// One sentence for each new reason why a file could not be written.
  std::vector<std::string> take_problems();
  /// The autosave files that are there.
  std::vector<std::filesystem::path> files() const { return folder_.files(); }

 private:
  enum class What : std::uint8_t { keep, drop };
  struct Job {
    What what = What::drop;
    engine::Session session;
  };

  void push(const std::string& name, Job);
  void work(std::stop_token);
  void works_again();
  void report(const std::string& problem);
  void do_it(const std::string& name, const Job&);

  ui::AutosaveFolder folder_;
  std::function<void()> wake_;
  std::mutex mutex_;  // of all below but the thread
  std::condition_variable_any changed_;
  std::map<std::string, Job> jobs_;
  bool busy_ = false;
  std::vector<std::string> problems_;
  std::string last_problem_;
  std::jthread thread_;  // last member: joined before the rest is destroyed
};

}  // namespace app
