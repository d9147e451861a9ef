// Runs the real binary as a shell would: arguments, pipes, signals, a time limit.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/files.hpp"

using tests::read_file;
using tests::write_text;

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Path of the program that users start.
std::string real_program();

struct Launch {
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::optional<std::string>>>
      environment{};                     ///< nullopt: unset
  std::string stdout_path{};             ///< instead of a pipe; "closed" closes it
  std::function<void()> before_exec{};   ///< in the child
  std::string program = real_program();  ///< path
};

struct Ended {
  int code = -1;  ///< exit code, -1 when a signal ended it
  int signal = 0;
  std::string out, err;
};

class Program {
 public:
  /// Its kernel shapes are cached in a temporary folder unless the launch names another.
  explicit Program(const Launch&);
  /// Kills it when it still runs.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int process() const { return pid_; }
  void send(int signal) const;
  /// Reads until `text` was on standard output or error. False when it ended, or took a minute.
  bool wait_for(std::string_view text);
  /// Leaves standard output as `| head` does.
  void stop_reading();
  /// Reads to the end. Kills it after a minute, which shows as signal 9.
  Ended finish();

 private:
  bool read_some(int timeout_ms);
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  Ended ended_;
};

/// Runs it with these arguments to its end.
Ended run(std::vector<std::string> arguments);
Ended run(const Launch&);

std::size_t lines_in(std::string_view);

/// `sweep --device cpu` with cases that take a few milliseconds each; options in `more` win.
std::vector<std::string> small_sweep(const std::vector<std::string>& more);

/// Takes the right to write into any folder away from root; others never had it.
void without_root_rights();
