// Writes the autosave files of a window on a thread of its own. Knows nothing of when that is due
// (ui/autosave/autosave.hpp).
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "app/jobs/job_thread.hpp"
#include "engine/session/session.hpp"
#include "ui/autosave/autosave_folder.hpp"

namespace app {

class AutosaveWriter {
 public:
  /// `wake` is called from the thread when there is a problem to take.
  AutosaveWriter(std::filesystem::path folder, std::function<void()> wake);

  /// As AutosaveFolder says. To be called first.
  ui::Leftovers take_over() { return folder_.take_over(); }
  /// Each replaces what the same name still waits for. Never waits.
  void keep(const std::string& name, engine::Session);
  void drop(const std::string& name);
  /// Waits until everything is written.
  void finish() { thread_.finish(); }
  /// One sentence for each new reason why a file could not be written.
  std::vector<std::string> take_problems();
  /// The autosave files that are there.
  std::vector<std::filesystem::path> files() const { return folder_.files(); }

 private:
  void write(const std::string& name, const engine::Session&);

  ui::AutosaveFolder folder_;
  std::function<void()> wake_;
  std::mutex mutex_;  // of the next two
  std::vector<std::string> problems_;
  std::string last_problem_;
  JobThread thread_;  // last member: its jobs use the others
};

}  // namespace app
