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

/// About the size of the smallest session: if not even this fits, there is no point in measuring.
constexpr std::size_t trial_bytes = 16 * 1024;

bool same_file_as_stdout(const fs::path& path) {
  struct stat target {};
  struct stat standard_output {};
  return stat(path.c_str(), &target) == 0 && fstat(STDOUT_FILENO, &standard_output) == 0 &&
         target.st_dev == standard_output.st_dev && target.st_ino == standard_output.st_ino;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why_and_remedy) {
  throw Failure(Exit::failed, fmt::format("cannot write '{}': {}", path.string(), why_and_remedy));
}

std::string remedy_for(int error, const fs::path& folder) {
  const std::string where = folder.string();
  switch (error) {
    case EACCES:
    case EPERM:
      return fmt::format("no permission to create files in '{}'; choose another folder", where);
    case ENOSPC:
    case EDQUOT:
      return fmt::format("no space left in '{}'; free some or choose another folder", where);
    case EROFS:
      return fmt::format("'{}' is on a read-only file system; choose another folder", where);
    default:
      return fmt::format("creating a file in '{}' failed: {}; choose another folder", where,
                         std::generic_category().message(error));
  }
}

/// Creates and fills a file in the folder, which has lost its name before it is filled, so that
/// nothing stays of it; returns errno of the step that failed, else 0.
int try_to_write_in(const fs::path& folder) {
  std::string name = (folder / ".ridgepoint-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file == -1) return errno;
  unlink(name.c_str());
  const std::string filler(trial_bytes, '\0');
  std::size_t done = 0;
  int error = 0;
  while (done < filler.size() && error == 0) {
    const ssize_t written = ::write(file, filler.data() + done, filler.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fsync(file) != 0 && errno != EINVAL) error = errno;
  close(file);
  return error;
}

/// The file that writing to `path` makes or replaces, whether it exists or not: links resolved,
/// also those that lead nowhere yet.
fs::path destination_of(fs::path path) {
  std::error_code problem;
  constexpr int most_links = 40;  // as the kernel allows
  for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, problem)); ++i) {
    const fs::path target = fs::read_symlink(path, problem);
    if (problem) break;
    path = path.parent_path() / target;
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, problem), problem);
  return problem ? path : whole;
}

}  // namespace

Target::Target(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) return;
  is_stdout_ = same_file_as_stdout(path_);
  once_ = is_stdout_ || !engine::is_replaced_whole(path_);
}

bool Target::is_pipe() const {
  std::error_code problem;
  const std::string name = path_.string();  // those of a shell's >(...) have a reader
  return once_ && !is_stdout_ && fs::is_fifo(path_, problem) && !name.starts_with("/dev/") &&
         !name.starts_with("/proc/");
}

fs::path Target::destination() const { return destination_of(path_); }

bool Target::same_as(const Target& other) const {
  if (!wanted() || !other.wanted()) return false;
  if (is_stdout_ && other.is_stdout_) return true;
  std::error_code problem;
  if (fs::equivalent(path_, other.path_, problem) && !problem) return true;
  return destination_of(path_) == destination_of(other.path_);
}

void Target::check() const {
  if (!wanted() || is_stdout_) return;
  std::error_code problem;
  const fs::file_status status = fs::status(path_, problem);
  if (problem == std::errc::too_many_symbolic_link_levels) {
    refuse(path_, "its symbolic links form a loop; name the file itself");
  }
  if (fs::is_directory(status)) refuse(path_, "it is a folder; name a file in it");
  if (fs::exists(status) && access(path_.c_str(), W_OK) != 0) {
    refuse(path_, "no permission to write it; choose another file");
  }
  if (once_) return;
  // A link is followed to the file that will be replaced, as write_file does.
  const fs::path real = destination_of(path_);
  const fs::path parent = real.parent_path().empty() ? fs::path(".") : real.parent_path();
  const fs::file_status folder = fs::status(parent, problem);
  if (!fs::exists(folder)) {
    refuse(path_,
           fmt::format("the folder '{}' does not exist; create it (mkdir -p) or choose another",
                       parent.string()));
  }
  if (!fs::is_directory(folder)) {
    refuse(path_, fmt::format("'{}' is a file, not a folder; choose a folder", parent.string()));
  }
  const long longest = pathconf(parent.c_str(), _PC_NAME_MAX);
  if (longest > 0 && real.filename().string().size() > static_cast<std::size_t>(longest))
    refuse(path_, fmt::format("its name is longer than {} bytes; choose a shorter one", longest));
  if (const int error = try_to_write_in(parent); error != 0) {
    refuse(path_, remedy_for(error, parent));
  }
}

void Target::write(std::string_view bytes, Output& output) const {
  if (is_stdout_) {
    output.write(bytes);
  } else {
    engine::write_file(path_, bytes, interrupted);
  }
}

}  // namespace app
