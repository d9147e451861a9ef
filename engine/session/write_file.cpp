// Writing a file whole or not at all: temporary file, flush, rename.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/session/session_file.hpp"
#include "kernels/kept/own_folder.hpp"

namespace engine {
namespace {

namespace fs = std::filesystem;

/// Owns a file descriptor.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  /// Errors of delayed writes arrive here (NFS, quotas).
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

std::string remedy_for(int error, const fs::path& folder) {
  switch (error) {
    case ENOENT:
      return fmt::format("the folder {} does not exist; create it or choose another",
                         folder.string());
    case ENOTDIR:
      return fmt::format("{} is not a folder; choose one", folder.string());
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder where you may write";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space or choose another disk";
    case EISDIR:
      return "give the name of a file in it";
    case EPIPE:
      return "the program that reads it has ended";
    case ENXIO:
    case EAGAIN:
      return "no program reads it";
    case ELOOP:
      return "the symbolic links form a loop; name the file itself";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "choose another place";
  }
}

[[noreturn]] void fail(const fs::path& path, int error, const fs::path& folder) {
  throw CannotWrite(fmt::format("cannot write {}: {}; {}", path.string(), std::strerror(error),
                                remedy_for(error, folder)));
}

/// Opens a pipe or a device. A pipe opens when somebody reads it; -1 and ENXIO when `give_up` says
/// that this took too long.
int open_directly(const fs::path& path, const GiveUp& give_up) {
  constexpr int glance_ms = 25;
  while (true) {
    const int opened = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
    if (opened >= 0 || errno != ENXIO) return opened;
    if (give_up && give_up()) break;
    ::poll(nullptr, 0, glance_ms);
  }
  errno = ENXIO;
  return -1;
}

/// Where a path leads after its symbolic links, and what is there.
struct Destination {
  fs::path path;
  std::optional<struct stat> found;
  bool direct = false;  ///< a pipe, a device, or an open file under /proc: never replaced
  int descriptor = -1;  ///< of this process, when the path names one of its open files
};

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// N for /proc/(this process)/fd/N, else -1.
int own_descriptor(const fs::path& folder, const std::string& name) {
  if (folder != fmt::format("/proc/{}/fd", ::getpid())) return -1;
  int number = -1;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

/// Follows symbolic links one by one, since a link to a file that is not there yet counts too.
Destination resolve(const fs::path& given) {
  Destination to{given, std::nullopt};
  struct stat status {};
  if (::stat(given.c_str(), &status) == 0) {
    to.found = status;
    to.direct = !S_ISREG(status.st_mode);
  } else if (errno != ENOENT) {
    fail(given, errno, folder_of(given));  // of links that form a loop, too
  }
  std::error_code error;
  while (fs::is_symlink(fs::symlink_status(to.path, error))) {
    const fs::path folder = fs::weakly_canonical(folder_of(to.path), error);
    // /dev/stdout and /dev/fd/N end here: these links name open files, whatever their text says.
    if (folder.string().starts_with("/proc/")) {
      to.direct = true;
      to.descriptor = own_descriptor(folder, to.path.filename());
      break;
    }
    const fs::path next = fs::read_symlink(to.path, error);
    if (error) break;
    to.path = folder_of(to.path) / next;
  }
  return to;
}

void write_directly(const fs::path& given, const Destination& target, std::string_view bytes,
                    const GiveUp& give_up) {
  if (target.found && S_ISDIR(target.found->st_mode)) fail(given, EISDIR, target.path);
  // The duplicate shares its position with the original; opening again would not, and a socket
  // cannot be opened at all.
  File file(target.descriptor >= 0 ? ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
                                   : open_directly(target.path, give_up));
  if (!file.is_open()) fail(given, errno, folder_of(target.path));
  if (const int error = write_as_read(file.get(), bytes, give_up))
    fail(given, error, folder_of(target.path));
  if (!file.close()) fail(given, errno, folder_of(target.path));
}

constexpr std::string_view temporary_prefix = ".ridgepoint-";
constexpr std::string_view temporary_suffix = ".tmp";

/// Removes the temporary files that processes left which were killed: whoever still writes one
/// holds its lock.
void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(temporary_prefix) || !name.ends_with(temporary_suffix)) continue;
    const File left(::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    const bool abandoned = left.is_open() && ::flock(left.get(), LOCK_EX | LOCK_NB) == 0;
    if (abandoned) ::unlink(at->path().c_str());
  }
}

/// Locks a new file; false when another process took it for a leftover first. Where files cannot be
/// locked none is taken for one.
bool lock_new(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/// A new file, locked, that is removed again unless it was renamed into place.
class TemporaryFile {
 public:
  /// In the place of `given`, which messages name.
  TemporaryFile(const fs::path& given, const fs::path& folder, mode_t mode) {
    static std::atomic<unsigned> count{0};
    while (true) {
      path_ = folder /
              fmt::format("{}{}-{}{}", temporary_prefix, ::getpid(), count++, temporary_suffix);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      if (descriptor_ < 0 && errno == EEXIST) continue;  // of a process with our number elsewhere
      if (descriptor_ < 0) fail(given, errno, folder);
      if (lock_new(descriptor_)) return;
      ::close(descriptor_);
    }
  }
  ~TemporaryFile() {
    if (exists_) ::unlink(path_.c_str());
    ::close(descriptor_);  // and with it the lock
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }
  const fs::path& path() const { return path_; }
  void now_renamed() { exists_ = false; }

 private:
  fs::path path_;
  int descriptor_ = -1;
  bool exists_ = true;
};

/// Owner and permissions of the file that is going to be replaced; only root may give files away.
void take_over(int descriptor, const struct stat& old) {
  if (::fchown(descriptor, old.st_uid, old.st_gid) != 0) errno = 0;
  if (::fchmod(descriptor, old.st_mode & 07777) != 0) errno = 0;
}

/// Makes the new name itself survive a power cut. Not every file system can; the data is safe
/// already.
void flush_folder(const fs::path& folder) {
  const File open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open_folder.is_open()) ::fsync(open_folder.get());
}

void replace(const fs::path& given, const Destination& target, std::string_view bytes) {
  const fs::path folder = folder_of(target.path);
  if (target.found && ::access(target.path.c_str(), W_OK) != 0) fail(given, errno, folder);
  remove_leftovers(folder);
  TemporaryFile temporary(given, folder, 0666);
  File file(::fcntl(temporary.descriptor(), F_DUPFD_CLOEXEC, 0));
  if (!file.is_open()) fail(given, errno, folder);
  if (target.found) take_over(file.get(), *target.found);
  if (!kernels::write_all(file.get(), bytes)) fail(given, errno, folder);
  if (::fsync(file.get()) != 0) fail(given, errno, folder);
  if (!file.close()) fail(given, errno, folder);
  if (::rename(temporary.path().c_str(), target.path.c_str()) != 0) fail(given, errno, folder);
  temporary.now_renamed();
  flush_folder(folder);
}

}  // namespace

int write_as_read(int descriptor, std::string_view bytes, const GiveUp& give_up) {
  constexpr int glance_ms = 200;  // how long a wish to give up may stay unnoticed
  while (!bytes.empty()) {
    pollfd room{descriptor, POLLOUT, 0};
    const int found = ::poll(&room, 1, glance_ms);
    const bool waits = found == 0 || (found < 0 && errno == EINTR);
    if (waits && give_up && give_up()) return EAGAIN;
    if (waits) continue;
    const ssize_t written =
        ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

void write_file(const fs::path& path, std::string_view bytes, const GiveUp& give_up) {
  if (path.empty()) throw CannotWrite("cannot write: the file name is empty; give one");
  const Destination target = resolve(path);
  if (target.direct) {
    write_directly(path, target, bytes, give_up);
  } else {
    replace(path, target, bytes);
  }
}

void check_writable(const fs::path& path) {
  // About the size of the smallest session: if not even this fits, there is no point in measuring.
  constexpr std::size_t trial_bytes = 16 * 1024;
  const Destination target = resolve(path);
  const fs::path folder = folder_of(target.path);
  if (target.found && S_ISDIR(target.found->st_mode)) fail(path, EISDIR, target.path);
  if (target.found && ::access(target.path.c_str(), W_OK) != 0) fail(path, errno, folder);
  if (target.direct) return;
  const TemporaryFile temporary(path, folder, 0600);
  const std::string trial(trial_bytes, '\0');  // freed later: that may change errno
  if (!kernels::write_all(temporary.descriptor(), trial)) fail(path, errno, folder);
  if (::fsync(temporary.descriptor()) != 0 && errno != EINVAL) fail(path, errno, folder);
}

fs::path destination_of(const fs::path& path) {
  std::error_code problem;
  const fs::path to = resolve(path).path;
  const fs::path whole = fs::weakly_canonical(fs::absolute(to, problem), problem);
  return problem ? to : whole;
}

bool is_replaced_whole(const fs::path& path) {
  try {
    return !resolve(path).direct;
  } catch (const CannotWrite&) {
    return true;  // writing will say why not
  }
}

}  // namespace engine
