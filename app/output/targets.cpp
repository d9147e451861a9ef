#include "app/output/targets.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

#include "app/output/signals.hpp"
#include "engine/session/session_file.hpp"

namespace app {
namespace {

namespace fs = std::filesystem;

bool same_file_as_stdout(const fs::path& path) {
  struct stat target {};
  struct stat standard_output {};
  return stat(path.c_str(), &target) == 0 && fstat(STDOUT_FILENO, &standard_output) == 0 &&
         target.st_dev == standard_output.st_dev && target.st_ino == standard_output.st_ino;
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

}  // namespace app
