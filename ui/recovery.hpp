// The folder that outlives a crash: recovery files of the windows that run, what windows that have
// ended left there, and each device's last session that nobody saved. Reads and writes files; knows
// no threads.
//
//   recovery-ID-NAME.json   what the window ID has measured and its user has not saved
//   window-ID.lock          locked as long as that window runs; ID is its process id
//   last-NAME.json          the last session that nobody asked for, saved or discarded
//   last-NAME-WHEN-ID.json  one that the user had asked for, as the window ID kept it (UTC)
//
// A process id alone proves nothing: another process may have it by now, or the folder may be
// shared with another machine. The lock ends with its process, however that ends.
#pragma once

#include <sys/file.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/session.hpp"

namespace ui {

/// $XDG_STATE_HOME/ridgepoint, or below ~/.local/state; empty when neither variable is set.
std::filesystem::path recovery_folder();

/// NAME of the session measured on a device: its id with what a file's name may hold.
std::string recovery_name(const std::string& device);
/// NAME of the n-th opened session without a file of its own.
std::string opened_recovery_name(std::size_t n);

/// What a window that has ended left, now a recovery file of this one.
struct Recovered {
  std::string name;   ///< an opened_recovery_name()
  std::string title;  ///< "recovered cpu 14:05"
  std::string said;   ///< one sentence: what, of when, where it is now
  engine::Session session;
};
struct Leftovers {
  std::vector<Recovered> sessions;
  std::size_t names = 0;              ///< opened_recovery_name()s from here on are free
  std::vector<std::string> problems;  ///< a file that cannot be read, a folder without locks
};

/// A session kept as the last one, for the Open dialog.
struct LastSession {
  std::filesystem::path path;
  std::string title;  ///< "last session, not saved: cpu, 2026-11-21 14:05"
};
/// Newest first.
std::vector<LastSession> last_sessions(const std::filesystem::path& folder);

/// Locks an open file as flock(2) does.
using TakeLock = int (*)(int file, int operation);

/// Last sessions that the user had asked for: so many are kept.
inline constexpr std::size_t most_last_sessions = 5;

/// One window's part of the folder.
class RecoveryFolder {
 public:
  /// Makes the folder and its lock. An empty path keeps nothing; of a folder that cannot be made or
  /// written write() says so. Where files cannot be locked nothing is kept: take_over() says so.
  explicit RecoveryFolder(std::filesystem::path, TakeLock = ::flock);
  ~RecoveryFolder();
  RecoveryFolder(const RecoveryFolder&) = delete;
  RecoveryFolder& operator=(const RecoveryFolder&) = delete;

  /// Takes over what windows that have ended left, sets broken files aside as NAME.broken, and
  /// removes what they had begun to write. To be called before the first write().
  Leftovers take_over();

  std::filesystem::path path_of(const std::string& name) const;
  /// Whole or not at all. Throws engine::CannotWrite.
  void write(const std::string& name, const engine::Session&) const;
  void remove(const std::string& name) const;
  /// Writes a session as a last one and removes its recovery file. One that was asked for gets a
  /// file of its own, beside the newest of its kind; else it replaces the device's last one.
  /// Returns the path, empty where nothing is kept. Throws engine::CannotWrite.
  std::filesystem::path retire(const std::string& name, const engine::Session&, bool asked_for);
  /// The recovery files of this window.
  std::vector<std::filesystem::path> files() const;

 private:
  void do_without(int error);
  void take_over_of(const std::string& id, Leftovers&);
  void take_over_file(const std::filesystem::path&, Leftovers&);
  std::filesystem::path own_last_path(const std::string& device);

  std::filesystem::path folder_;
  TakeLock take_lock_;
  std::string problem_;  ///< why nothing is kept
  std::string id_;
  std::time_t last_stamp_ = 0;  ///< of the last session of our own that was written last
  int lock_ = -1;
};

}  // namespace ui
