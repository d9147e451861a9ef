// The folder that outlives a crash: autosave files of the windows that run, and what windows that
// have ended left there. Reads and writes files; knows no threads.
//
//   autosave-ID-NAME.json   what the window ID has measured and its user has not saved
//   window-ID.lock          locked as long as that window runs; ID is its process id
//
// A process id alone proves nothing: another process may have it by now, or the folder may be
// shared with another machine. The lock ends with its process, however that ends.
#pragma once

#include <sys/file.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ui/model/documents.hpp"

namespace ui {

/// $XDG_STATE_HOME/ridgepoint, or below ~/.local/state; empty where neither variable is an
/// absolute path.
std::filesystem::path autosave_folder();

/// NAME of the session measured on a device: its id with what a file's name may hold.
std::string autosave_name(const std::string& device);
/// NAME of the n-th opened session without a file of its own.
std::string recovered_autosave_name(std::size_t n);

/// What windows that have ended left.
struct Leftovers {
  /// Named "recovered cpu 14:05"; each is an autosave file of this window now.
  std::vector<OpenedFile> sessions;
  std::vector<std::string> said;      ///< of each one sentence: what, of when, where it is now
  std::size_t names = 0;              ///< recovered_autosave_name()s from here on are free
  std::vector<std::string> problems;  ///< a file that cannot be read, a folder without locks
};

/// Locks an open file as flock(2) does.
using TakeLock = int (*)(int file, int operation);

/// One window's part of the folder.
class AutosaveFolder {
 public:
  /// Makes the folder and its lock. An empty path keeps nothing; of a folder that cannot be made or
  /// written write() says so. Where files cannot be locked nothing is kept: take_over() says so.
  explicit AutosaveFolder(std::filesystem::path, TakeLock = ::flock);
  ~AutosaveFolder();
  AutosaveFolder(const AutosaveFolder&) = delete;
  AutosaveFolder& operator=(const AutosaveFolder&) = delete;

  /// Takes over what windows that have ended left, sets broken files aside as NAME.broken, and
  /// removes what they had begun to write. To be called before the first write().
  Leftovers take_over();

  std::filesystem::path path_of(const std::string& name) const;
  /// Whole or not at all. Throws engine::CannotWrite.
  void write(const std::string& name, const engine::Session&) const;
  void remove(const std::string& name) const;
  /// The autosave files of this window.
  std::vector<std::filesystem::path> files() const;

 private:
  void take_over_of(const std::string& id, Leftovers&);
  void take_over_file(const std::filesystem::path&, Leftovers&);

  std::filesystem::path folder_;
  TakeLock take_lock_;
  std::string problem_;  ///< why nothing is kept
  std::string id_;
  int lock_ = -1;
};

}  // namespace ui
