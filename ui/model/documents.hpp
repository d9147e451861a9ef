// The sessions that a window holds: measured, opened and removed ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/exercises/exercise.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/session/session.hpp"
#include "ui/model/versioned.hpp"

namespace ui {

inline constexpr std::size_t most_recent = 10;  ///< paths that Documents::recent holds

/// A session read from a file, or measured on a device that is not the chosen one.
struct OpenedFile {
  std::string name;
  Versioned<engine::Session> session;
  std::string autosave{};  ///< its autosave file's name, while no file of the user holds it
};

/// How a device's session stands against the files that hold it.
struct Autosave {
  std::uint64_t changes = 0;  ///< points and roofs measured so far
  std::uint64_t saved = 0;    ///< `changes` when the user last saved or cleared
  std::uint64_t kept = 0;     ///< `changes` that the autosave file holds
  bool asked_for = false;     ///< points of a sweep that the user started are not saved
  bool ended = false;         ///< a sweep has ended since
  std::optional<double> due;  ///< when the autosave file is written
};

/// What Clear or closing took away.
struct Removed {
  std::string device{};  ///< whose session; empty: only opened ones were taken
  engine::Session session{};
  Autosave autosave{};
  std::vector<OpenedFile> opened{};
  std::size_t place = 0;  ///< of the first of `opened`
  std::string back{};     ///< the notice when it is brought back
};

/// All that a window holds, beside what it looks at.
struct Documents {
  std::map<std::string, Versioned<engine::Session>> sessions;  ///< by device id
  std::map<std::string, Autosave> autosave;                    ///< by device id
  std::vector<OpenedFile> opened;
  std::vector<OpenedFile>
      recovered;  ///< left by windows that did not close: shown once the user opens them
  std::vector<Removed> removed;             ///< what undo() brings back, newest last
  std::vector<engine::SheetDevice> sheets;  ///< what the view can compare with
  std::vector<engine::Exercise> exercises{};
  std::string last_folder;
  std::vector<std::string> recent;  ///< paths of sessions opened and saved, newest first
};

}  // namespace ui
