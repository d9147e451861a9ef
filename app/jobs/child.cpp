#include "app/jobs/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace app {
namespace {

/// What a program finds at its start.
class Surroundings {
 public:
  Surroundings(int input, int output) {
    posix_spawn_file_actions_init(&files_);
    connect(input, STDIN_FILENO, O_RDONLY);
    connect(output, STDOUT_FILENO, O_WRONLY);
    // It may stay (to serve the clipboard) and must not keep our pipes open.
    connect(-1, STDERR_FILENO, O_WRONLY);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~Surroundings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  bool start(Child::Words words, pid_t& child) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return posix_spawnp(&child, arguments.front(), &files_, &attributes_, arguments.data(),
                        environ) == 0;
  }

 private:
  void connect(int from, int to, int mode) {
    if (from >= 0) {
      posix_spawn_file_actions_adddup2(&files_, from, to);
    } else {
      posix_spawn_file_actions_addopen(&files_, to, "/dev/null", mode, 0);
    }
  }

  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

File temporary_file() {
  File file(std::tmpfile());
  if (file) fcntl(fileno(file.get()), F_SETFD, FD_CLOEXEC);
  return file;
}

Child::~Child() {
  if (!running() || at_end_ == AtEnd::stays) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Child::start(const Words& words, int input, int output, std::chrono::seconds patience) {
  pid_t started = 0;
  if (!Surroundings(input, output).start(words, started)) return false;
  pid_ = started;
  deadline_ = std::chrono::steady_clock::now() + patience;
  return true;
}

std::optional<int> Child::ended() {
  if (!running()) return {};
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == 0) {
    if (std::chrono::steady_clock::now() >= deadline_) kill(pid_, SIGKILL);
    return {};
  }
  pid_ = 0;
  return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace app
