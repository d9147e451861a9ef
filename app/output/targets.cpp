#include "app/output/targets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "app/cli/exit_codes.hpp"
#include "app/output/signals.hpp"
#include "engine/session/session_file.hpp"

namespace app {
namespace {

namespace fs = std::filesystem;

bool is_file_at(int file, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return fstat(file, &open) == 0 && stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Empty where the other one has ended meanwhile, or runs where its number means nothing.
std::string holder_of(int file) {
  struct flock lock = whole_file();
  if (fcntl(file, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK || lock.l_pid <= 0) return "";
  return fmt::format(" (process {})", lock.l_pid);
}

[[noreturn]] void refuse(const Target& target, const std::string& holder) {
  throw Failure(Exit::failed,
                fmt::format("cannot write '{}': another ridgepoint{} is measuring into it; wait "
                            "until it has ended, or choose another file",
                            target.path().string(), holder));
}

}  // namespace

Target::Target(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) return;
  is_stdout_ = is_file_at(STDOUT_FILENO, path_);
  once_ = is_stdout_ || !engine::is_replaced_whole(path_);
}

bool Target::is_pipe() const {
  std::error_code problem;
  const std::string name = path_.string();  // those of a shell's >(...) have a reader
  return once_ && !is_stdout_ && fs::is_fifo(path_, problem) && !name.starts_with("/dev/") &&
         !name.starts_with("/proc/");
}

bool Target::same_as(const Target& other) const {
  if (!wanted() || !other.wanted()) return false;
  if (is_stdout_ && other.is_stdout_) return true;
  std::error_code problem;
  if (fs::equivalent(path_, other.path_, problem) && !problem) return true;
  return engine::destination_of(path_) == engine::destination_of(other.path_);
}

void Target::check() const {
  if (wanted() && !is_stdout_) engine::check_writable(path_);
}

void Target::write(std::string_view bytes, Output& output) const {
  if (is_stdout_) {
    output.write(bytes);
  } else {
    engine::write_file(path_, bytes, interrupted);
  }
}

Claim::Claim(const Target& target) {
  if (!target.wanted() || target.once()) return;
  const fs::path file = engine::destination_of(target.path());
  lock_ = file.parent_path() / fmt::format(".{}.lock", file.filename().string());
  while (true) {
    file_ = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file_ < 0) {
      refuse_held_by_another_user(target);
      return;
    }
    const struct flock lock = whole_file();
    const bool locked = fcntl(file_, F_SETLK, &lock) == 0;
    if (!locked && (errno == EAGAIN || errno == EACCES)) {
      const std::string holder = holder_of(file_);
      close(file_);
      refuse(target, holder);
    }
    // The one before may have removed it between open() and the lock.
    if (!locked || is_file_at(file_, lock_)) return;
    close(file_);
  }
}

void Claim::refuse_held_by_another_user(const Target& target) const {
  const int file = open(lock_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  const std::string holder = holder_of(file);
  close(file);
  if (!holder.empty()) refuse(target, holder);
}

Claim::~Claim() {
  if (file_ < 0) return;
  unlink(lock_.c_str());
  close(file_);
}

}  // namespace app
