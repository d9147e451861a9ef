#include "ui/autosave/autosave_folder.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "engine/session/session_file.hpp"
#include "kernels/kept/own_folder.hpp"
#include "kernels/units.hpp"

namespace ui {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view autosave_prefix = "autosave-";
constexpr std::string_view lock_prefix = "window-";
constexpr std::string_view temporary_prefix = ".ridgepoint-";  // as engine::write_file names them

/// The ID in PREFIX + ID + `after` + ...; nothing when the name is not so.
std::optional<std::string> id_in(std::string_view name, std::string_view prefix, char after) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const std::size_t end = name.find(after);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const bool plain = std::ranges::all_of(name.substr(0, end),
                                         [](char c) { return (c >= '0' && c <= '9') || c == '_'; });
  return plain ? std::optional(std::string(name.substr(0, end))) : std::nullopt;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && !at->is_symlink(ignored)) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

fs::path lock_path(const fs::path& folder, const std::string& id) {
  return folder / fmt::format("{}{}.lock", lock_prefix, id);
}

/// A lock that was asked for, without waiting.
struct Lock {
  int file = -1;        ///< the descriptor that holds it; -1: not got
  bool in_use = false;  ///< a window that runs has it
  int error = 0;        ///< of a file system that knows no locks: an errno
};

Lock try_lock(const fs::path& path, TakeLock take) {
  while (true) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return {};
    if (take(file, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(file);
      if (error == EINTR) continue;
      return error == EWOULDBLOCK ? Lock{-1, true} : Lock{-1, false, error};
    }
    // Who looked whether this window had ended may have removed the file in between.
    struct stat locked {
    }, named{};
    if (::fstat(file, &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
        named.st_ino == locked.st_ino) {
      return {file};
    }
    ::close(file);
  }
}

/// Removes a lock that is held.
void unlock(const fs::path& path, int lock) {
  std::error_code ignored;
  fs::remove(path, ignored);
  ::close(lock);
}

fs::path free_path(const fs::path& wanted) {
  fs::path path = wanted;
  std::error_code ignored;
  for (int i = 2; fs::exists(path, ignored); ++i) path = fmt::format("{}-{}", wanted.string(), i);
  return path;
}

std::string time_of(const fs::path& path, const char* format) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "at an unknown time";
  return fmt::format(fmt::runtime(format), fmt::localtime(status.st_mtime));
}

}  // namespace

fs::path autosave_folder() { return kernels::user_folder("XDG_STATE_HOME", ".local/state"); }

std::string autosave_name(const std::string& device) {
  std::string name = device;
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == '/'; }, '-');
  return name;
}

std::string recovered_autosave_name(std::size_t n) { return fmt::format("opened-{}", n + 1); }

AutosaveFolder::AutosaveFolder(fs::path folder, TakeLock take_lock)
    : folder_(std::move(folder)), take_lock_(take_lock) {
  if (folder_.empty()) return;
  std::error_code ignored;  // write() says what is wrong with the folder
  fs::create_directories(folder_, ignored);
  // In another container, whose folder this is too, a process may have the same id.
  Lock lock{-1, true};
  for (int i = 1; lock.in_use; ++i) {
    id_ = i == 1 ? fmt::format("{}", ::getpid()) : fmt::format("{}_{}", ::getpid(), i);
    lock = try_lock(lock_path(folder_, id_), take_lock_);
  }
  lock_ = lock.file;
  if (lock.error == 0) return;
  fs::remove(lock_path(folder_, id_), ignored);
  problem_ = fmt::format(
      "Autosave is off: files in {} cannot be locked ({}); set XDG_STATE_HOME to a folder on a "
      "local disk.",
      folder_.string(), std::strerror(lock.error));
  // No start could tell whether what this window wrote there is still in use.
  folder_.clear();
}

AutosaveFolder::~AutosaveFolder() {
  if (lock_ < 0) return;
  // While files remain, the lock says that the window which wrote them has ended.
  unlock(lock_path(folder_, id_), lock_);
}

Leftovers AutosaveFolder::take_over() {
  Leftovers found;
  if (!problem_.empty()) found.problems.push_back(problem_);
  if (lock_ < 0) return found;
  // First those of a process that had our number, before others' become ours.
  take_over_of(id_, found);
  std::set<std::string> ids;
  for (const fs::path& path : files_in(folder_)) {
    const std::string name = path.filename().string();
    for (const auto& id : {id_in(name, autosave_prefix, '-'), id_in(name, lock_prefix, '.'),
                           id_in(name, temporary_prefix, '-')}) {
      if (id && *id != id_) ids.insert(*id);
    }
  }
  for (const std::string& id : ids) {
    const fs::path path = lock_path(folder_, id);
    const int lock = try_lock(path, take_lock_).file;
    if (lock < 0) continue;
    take_over_of(id, found);
    unlock(path, lock);
  }
  return found;
}

void AutosaveFolder::take_over_of(const std::string& id, Leftovers& found) {
  for (const fs::path& path : files_in(folder_)) {
    const std::string name = path.filename().string();
    std::error_code ignored;
    if (id_in(name, temporary_prefix, '-') == id && name.ends_with(".tmp")) {
      fs::remove(path, ignored);
    } else if (id_in(name, autosave_prefix, '-') == id && name.ends_with(".json")) {
      take_over_file(path, found);
    }
  }
}

void AutosaveFolder::take_over_file(const fs::path& path, Leftovers& found) {
  std::error_code error;
  engine::Session session;
  try {
    session = engine::load_session(path);
  } catch (const engine::BadInput& reason) {
    const fs::path aside = free_path(path.string() + ".broken");
    fs::rename(path, aside, error);
    found.problems.push_back(
        error ? fmt::format("An autosaved session cannot be read: {}", reason.what())
              : fmt::format("An autosaved session cannot be read; the file is now {}: {}",
                            aside.string(), reason.what()));
    return;
  }
  const std::string when = time_of(path, "{:%Y-%m-%d %H:%M}");
  const std::string title =
      fmt::format("recovered {} {}", session.device.id, time_of(path, "{:%H:%M}"));
  std::string name;
  do {
    name = recovered_autosave_name(found.names++);
  } while (fs::exists(path_of(name), error));
  const fs::path mine = path_of(name);
  fs::rename(path, mine, error);
  found.said.push_back(fmt::format(
      "Recovered {} of {}, autosaved {} by a window that ended without saving. To see them, choose "
      "Open recovered sessions ({}).",
      units::counted(std::ssize(session.points), "point"), session.device.id, when,
      (error ? path : mine).string()));
  found.sessions.push_back({title, std::move(session), name});
}

fs::path AutosaveFolder::path_of(const std::string& name) const {
  return folder_ / fmt::format("{}{}-{}.json", autosave_prefix, id_, name);
}

void AutosaveFolder::write(const std::string& name, const engine::Session& session) const {
  if (!folder_.empty()) engine::save_session(session, path_of(name));
}

void AutosaveFolder::remove(const std::string& name) const {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove(path_of(name), ignored);
}

std::vector<fs::path> AutosaveFolder::files() const {
  std::vector<fs::path> mine;
  if (folder_.empty()) return mine;
  for (const fs::path& path : files_in(folder_)) {
    const std::string name = path.filename().string();
    if (id_in(name, autosave_prefix, '-') == id_ && name.ends_with(".json")) mine.push_back(path);
  }
  return mine;
}

}  // namespace ui
