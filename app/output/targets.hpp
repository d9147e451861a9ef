// The files that a command will write: checked before a long measurement starts, written as the
// target allows.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/output/output.hpp"

namespace app {

/// Where one file goes. A regular file is replaced as a whole, any number of times; a pipe, a
/// device or our own standard output is written once, at the end.
class Target {
 public:
  Target() = default;
  explicit Target(std::filesystem::path);

  bool wanted() const { return !path_.empty(); }
  bool is_stdout() const { return is_stdout_; }
  bool once() const { return once_; }
  /// A named pipe, for which writing waits until another program reads it.
  bool is_pipe() const;
  const std::filesystem::path& path() const { return path_; }

  /// True when writing both would leave one of them: the same file by whatever names, or standard
  /// output twice.
  bool same_as(const Target&) const;

  /// Throws engine::CannotWrite when it is already clear that writing must fail.
  void check() const;
  /// Throws engine::CannotWrite.
  void write(std::string_view bytes, Output&) const;

 private:
  std::filesystem::path path_;
  bool is_stdout_ = false;
  bool once_ = false;
};

/// While it lives, a second Ridgepoint that claims the same file is refused. Held by a lock on a
/// hidden file beside it, which the system gives up when the process ends, however that ends.
class Claim {
 public:
  /// Throws Failure (exit code 1) where another process holds it, and says which. Claims nothing
  /// where the target is no regular file, and where the file system has no locks.
  explicit Claim(const Target&);
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  /// Its lock can be read and not taken.
  void refuse_held_by_another_user(const Target&) const;

  std::filesystem::path lock_;
  int file_ = -1;
};

}  // namespace app
