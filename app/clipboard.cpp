#include "app/clipboard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <vector>

namespace app {
namespace {

constexpr std::chrono::seconds patience{10};  // a display that is gone never answers

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

using Words = std::vector<std::string>;

/// A program that serves the clipboard, and the package to install it from.
struct Server {
  Words command;
  std::string_view package;
};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// The programs for this desktop, the best first; on Wayland an X server may be there, too.
std::vector<Server> servers() {
  std::vector<Server> found;
  if (is_set("WAYLAND_DISPLAY"))
    found.push_back({{"wl-copy", "--type", "image/png"}, "wl-clipboard"});
  if (is_set("DISPLAY") || found.empty()) {
    found.push_back({{"xclip", "-selection", "clipboard", "-target", "image/png", "-in"}, "xclip"});
  }
  return found;
}

/// A file without a name that holds the bytes: a pipe would have to be fed.
File file_with(std::string_view bytes) {
  File file(std::tmpfile());
  const bool written = file &&
                       std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                       std::fflush(file.get()) == 0;
  if (!written) return {};
  std::rewind(file.get());
  fcntl(fileno(file.get()), F_SETFD, FD_CLOEXEC);  // the program has it as its standard input
  return file;
}

/// How a program starts: the picture on standard input, silent, and with signals as usual.
class SpawnRules {
 public:
  explicit SpawnRules(int input) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    // It stays to serve the clipboard and must not keep our pipes open.
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&files_, output, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnRules() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnRules(const SpawnRules&) = delete;
  SpawnRules& operator=(const SpawnRules&) = delete;

  /// 0, or an errno.
  int start(Words words, pid_t& child) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return posix_spawnp(&child, arguments.front(), &files_, &attributes_, arguments.data(),
                        environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

std::optional<std::string> Clipboard::copy_png(std::string_view png) {
  if (busy()) return "The picture before is still being copied.";
  const File file = file_with(png);
  if (!file) return "The picture was not copied: no space for it in the folder of temporary files.";
  const SpawnRules rules(fileno(file.get()));
  const std::vector<Server> known = servers();
  for (const Server& server : known) {
    pid_t child = 0;
    if (rules.start(server.command, child) != 0) continue;
    child_ = child;
    program_ = server.command.front();
    deadline_ = std::chrono::steady_clock::now() + patience;
    return {};
  }
  return fmt::format("The picture was not copied: install {}, or export a file.",
                     known.front().package);
}

std::optional<Clipboard::Outcome> Clipboard::outcome() {
  if (!busy()) return {};
  int status = 0;
  const pid_t ended = waitpid(child_, &status, WNOHANG);
  if (ended == 0) {
    if (std::chrono::steady_clock::now() >= deadline_) kill(child_, SIGKILL);
    return {};
  }
  child_ = 0;
  if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return Outcome{true, "Copied the picture to the clipboard"};
  return Outcome{false,
                 fmt::format("The picture was not copied: {} gave up; export a file.", program_)};
}

}  // namespace app
