#include "ui/recovery.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "engine/session_file.hpp"

namespace ui {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view recovery_prefix = "recovery-";
constexpr std::string_view last_prefix = "last-";
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

bool are_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Where "-WHEN-ID" begins in the stem of a last session that was asked for.
std::optional<std::size_t> stamp_in(std::string_view stem) {
  constexpr std::size_t date = 8;
  constexpr std::size_t length = 15;  // YYYYMMDDTHHMMSS
  const std::size_t id = stem.rfind('-');
  if (id == std::string_view::npos || id < length + 1) return std::nullopt;
  const std::size_t start = id - length - 1;
  const std::string_view when = stem.substr(start + 1, length);
  const bool stamp = stem[start] == '-' && are_digits(when.substr(0, date)) && when[date] == 'T' &&
                     are_digits(when.substr(date + 1));
  return stamp ? std::optional(start) : std::nullopt;
}

/// The last sessions that were asked for, oldest first.
std::vector<fs::path> own_last_sessions(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::path& path : files_in(folder)) {
    const std::string name = path.filename().string();
    if (name.starts_with(last_prefix) && name.ends_with(".json") && stamp_in(path.stem().string()))
      found.push_back(path);
  }
  const auto stamp = [](const fs::path& path) {
    const std::string stem = path.stem().string();
    return stem.substr(*stamp_in(stem));
  };
  std::ranges::sort(found, {}, stamp);
  return found;
}

bool same_bytes(const fs::path& a, const fs::path& b) {
  using Bytes = std::istreambuf_iterator<char>;
  std::error_code error;
  if (fs::file_size(a, error) != fs::file_size(b, error) || error) return false;
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

/// Makes room for a last session that has just been written: who opens one and closes it again has
/// it once, not in place of the others.
void drop_older(const fs::path& folder, const fs::path& written) {
  std::error_code ignored;
  std::vector<fs::path> others = own_last_sessions(folder);
  std::erase(others, written);
  std::erase_if(others, [&](const fs::path& other) {
    return same_bytes(other, written) && fs::remove(other, ignored);
  });
  for (std::size_t i = 0; i + most_last_sessions <= others.size(); ++i)
    fs::remove(others[i], ignored);
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

std::string counted(std::size_t points) {
  return points == 1 ? "1 point" : fmt::format("{} points", points);
}

}  // namespace

fs::path recovery_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  // The XDG specification tells programs to ignore relative paths here.
  if (state != nullptr && state[0] == '/') return fs::path(state) / "ridgepoint";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] == '\0') return {};
  return fs::path(home) / ".local/state/ridgepoint";
}

std::string recovery_name(const std::string& device) {
  std::string name = device;
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == '/'; }, '-');
  return name;
}

std::string opened_recovery_name(std::size_t n) { return fmt::format("opened-{}", n + 1); }

std::vector<LastSession> last_sessions(const fs::path& folder) {
  std::vector<LastSession> found;
  if (folder.empty()) return found;
  std::vector<fs::path> paths = files_in(folder);
  const auto written = [](const fs::path& path) {
    std::error_code error;
    return fs::last_write_time(path, error);
  };
  std::ranges::stable_sort(paths, std::ranges::greater(), written);
  for (const fs::path& path : paths) {
    const std::string name = path.filename().string();
    if (!name.starts_with(last_prefix) || path.extension() != ".json") continue;
    const std::string stem = path.stem().string();
    const std::string device = stem.substr(0, stamp_in(stem).value_or(stem.size()));
    found.push_back({path, fmt::format("last session, not saved: {}, {}",
                                       device.substr(std::min(device.size(), last_prefix.size())),
                                       time_of(path, "{:%Y-%m-%d %H:%M}"))});
  }
  return found;
}

RecoveryFolder::RecoveryFolder(fs::path folder, TakeLock take_lock)
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
  if (lock.error != 0) do_without(lock.error);
}

void RecoveryFolder::do_without(int error) {
  std::error_code ignored;
  fs::remove(lock_path(folder_, id_), ignored);
  problem_ = fmt::format(
      "What is measured is not kept against a crash: {} does not lie where files can be locked "
      "({}); set XDG_STATE_HOME to a folder on a local disk.",
      folder_.string(), std::strerror(error));
  // No start could tell whether what this window wrote there is still in use.
  folder_.clear();
}

RecoveryFolder::~RecoveryFolder() {
  if (lock_ < 0) return;
  // While files remain, the lock says that the window which wrote them has ended.
  unlock(lock_path(folder_, id_), lock_);
}

Leftovers RecoveryFolder::take_over() {
  Leftovers found;
  if (!problem_.empty()) found.problems.push_back(problem_);
  if (lock_ < 0) return found;
  // First those of a process that had our number, before others' become ours.
  take_over_of(id_, found);
  std::set<std::string> ids;
  for (const fs::path& path : files_in(folder_)) {
    const std::string name = path.filename().string();
    for (const auto& id : {id_in(name, recovery_prefix, '-'), id_in(name, lock_prefix, '.'),
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

void RecoveryFolder::take_over_of(const std::string& id, Leftovers& found) {
  for (const fs::path& path : files_in(folder_)) {
    const std::string name = path.filename().string();
    std::error_code ignored;
    if (id_in(name, temporary_prefix, '-') == id && name.ends_with(".tmp")) {
      fs::remove(path, ignored);
    } else if (id_in(name, recovery_prefix, '-') == id && name.ends_with(".json")) {
      take_over_file(path, found);
    }
  }
}

void RecoveryFolder::take_over_file(const fs::path& path, Leftovers& found) {
  std::error_code error;
  Recovered recovered;
  try {
    recovered.session = engine::load_session(path);
  } catch (const engine::BadInput& reason) {
    const fs::path aside = free_path(path.string() + ".broken");
    fs::rename(path, aside, error);
    found.problems.push_back(
        error
            ? fmt::format("A session that an earlier window left cannot be read: {}", reason.what())
            : fmt::format("A session that an earlier window left cannot be read; the file is now "
                          "{}: {}",
                          aside.string(), reason.what()));
    return;
  }
  const std::string when = time_of(path, "{:%Y-%m-%d %H:%M}");
  do {
    recovered.name = opened_recovery_name(found.names++);
  } while (fs::exists(path_of(recovered.name), error));
  recovered.title =
      fmt::format("recovered {} {}", recovered.session.device.id, time_of(path, "{:%H:%M}"));
  const fs::path mine = path_of(recovered.name);
  fs::rename(path, mine, error);
  recovered.said = fmt::format(
      "Recovered {} of {}, kept {} by a window that did not close: shown beside this session until "
      "you save or clear them ({}).",
      counted(recovered.session.points.size()), recovered.session.device.id, when,
      (error ? path : mine).string());
  found.sessions.push_back(std::move(recovered));
}

fs::path RecoveryFolder::path_of(const std::string& name) const {
  return folder_ / fmt::format("{}{}-{}.json", recovery_prefix, id_, name);
}

void RecoveryFolder::write(const std::string& name, const engine::Session& session) const {
  if (!folder_.empty()) engine::save_session(session, path_of(name));
}

void RecoveryFolder::remove(const std::string& name) const {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove(path_of(name), ignored);
}

fs::path RecoveryFolder::own_last_path(const std::string& device) {
  while (true) {
    // What is closed within one second keeps its order, even where older ones have gone.
    last_stamp_ = std::max(last_stamp_ + 1, std::time(nullptr));
    const fs::path path = folder_ / fmt::format("{}{}-{:%Y%m%dT%H%M%S}-{}.json", last_prefix,
                                                device, fmt::gmtime(last_stamp_), id_);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return path;
  }
}

fs::path RecoveryFolder::retire(const std::string& name, const engine::Session& session,
                                bool asked_for) {
  if (folder_.empty()) return {};
  const std::string device = recovery_name(session.device.id);
  const fs::path path =
      asked_for ? own_last_path(device) : folder_ / fmt::format("{}{}.json", last_prefix, device);
  engine::save_session(session, path);
  remove(name);
  if (asked_for) drop_older(folder_, path);
  return path;
}

std::vector<fs::path> RecoveryFolder::files() const {
  std::vector<fs::path> mine;
  if (folder_.empty()) return mine;
  for (const fs::path& path : files_in(folder_)) {
    const std::string name = path.filename().string();
    if (id_in(name, recovery_prefix, '-') == id_ && name.ends_with(".json")) mine.push_back(path);
  }
  return mine;
}

}  // namespace ui
