#include "program.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds time_limit{180};
constexpr uid_t nobody = 65534;

/// One for all programs of this run, so that nobody's own cache is read or written.
std::string cache_home() {
  static const TemporaryFolder only;
  return only.path().string();
}

/// In the child: everything between fork and exec. Never returns.
[[noreturn]] void become(const Launch& launch, const std::string& cache, int out, int err) {
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(err, STDERR_FILENO);
  if (launch.stdout_path == "closed") {
    close(STDOUT_FILENO);
  } else if (!launch.stdout_path.empty()) {
    dup2(open(launch.stdout_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
  } else {
    dup2(out, STDOUT_FILENO);
  }
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  for (const auto& [name, value] : launch.environment) {
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  // Whoever runs the tests in the background may have them ignored.
  for (const int interrupt : {SIGINT, SIGTERM, SIGHUP}) std::signal(interrupt, SIG_DFL);
  if (launch.before_exec) launch.before_exec();
  std::vector<std::string> arguments = launch.arguments;
  std::string program = launch.program;
  std::vector<char*> argv{program.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

bool append_from(int& descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(descriptor, buffer.data(), buffer.size());
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }
  if (got < 0 && errno == EINTR) return true;
  close(descriptor);
  descriptor = -1;
  return false;
}

}  // namespace

std::string real_program() {
  const char* const other = std::getenv("RIDGEPOINT_TEST_PROGRAM");
  return other != nullptr ? other : RIDGEPOINT_BINARY;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "ridgepoint-cli-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Program::Program(const Launch& launch) {
  const std::string cache = cache_home();
  std::array<int, 2> out{}, err{};
  REQUIRE(pipe2(out.data(), O_CLOEXEC) == 0);
  REQUIRE(pipe2(err.data(), O_CLOEXEC) == 0);
  pid_ = fork();
  REQUIRE(pid_ != -1);
  if (pid_ == 0) become(launch, cache, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Program::~Program() {
  if (pid_ != -1) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (out_ != -1) close(out_);
  if (err_ != -1) close(err_);
}

void Program::send(int signal) const { REQUIRE(kill(pid_, signal) == 0); }

bool Program::read_some(int timeout_ms) {
  std::array<pollfd, 2> pipes{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  if (out_ == -1 && err_ == -1) return false;
  poll(pipes.data(), pipes.size(), timeout_ms);
  if (pipes[0].revents != 0) append_from(out_, ended_.out);
  if (pipes[1].revents != 0) append_from(err_, ended_.err);
  return true;
}

bool Program::wait_for(std::string_view text) {
  const auto deadline = Clock::now() + time_limit;
  const auto seen = [&] {
    return ended_.out.find(text) != std::string::npos || ended_.err.find(text) != std::string::npos;
  };
  while (!seen() && Clock::now() < deadline) {
    if (!read_some(100)) break;
  }
  return seen();
}

void Program::stop_reading() {
  close(out_);
  out_ = -1;
}

Ended Program::finish() {
  const auto deadline = Clock::now() + time_limit;
  while (read_some(100)) {
    if (Clock::now() > deadline) kill(pid_, SIGKILL);
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  ended_.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ended_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return ended_;
}

Ended run(const Launch& launch) { return Program(launch).finish(); }

Ended run(std::vector<std::string> arguments) { return run(Launch{std::move(arguments)}); }

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<std::string> small_sweep(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"sweep"};
  const std::vector<std::pair<std::string, std::string>> small{
      {"--device", "cpu"}, {"--elements", "64Ki"}, {"--repeat", "1,8"}, {"--max-time", "20ms"}};
  for (const auto& [option, value] : small) {
    if (std::find(more.begin(), more.end(), option) != more.end()) continue;
    arguments.insert(arguments.end(), {option, value});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void without_root_rights() {
  if (geteuid() != 0) return;
  // Root keeps its number, so that it may still execute the binary wherever that lies.
  if (prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) == 0) return;
  if (setgid(nobody) != 0 || setuid(nobody) != 0) _exit(126);
}
