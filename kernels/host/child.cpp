#include "kernels/host/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kernels {
namespace {

constexpr std::size_t most_output = 4096;
constexpr int most_reads = 1024;  // the pipe holds 64 KiB

}  // namespace

Child::Child(const std::vector<std::string>& arguments, Input input) {
  int out[2], in[2] = {-1, -1};
  if (pipe2(out, O_CLOEXEC) != 0) return;
  output_ = out[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);  // of our end: the program may wait until it is read
  // A pair of sockets: writing to a program that has ended is an error, where a pipe sends a
  // signal.
  if (input == Input::written && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) {
    close(out[1]);
    return;
  }
  input_ = in[0];
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (input == Input::written) {
    posix_spawn_file_actions_adddup2(&files, in[1], STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  if (input == Input::written) {
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&files, out[1], STDERR_FILENO);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (posix_spawnp(&pid_, words[0], &files, &attributes, words.data(), environ) != 0) pid_ = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(out[1]);
  if (in[1] >= 0) close(in[1]);
}

Child::~Child() {
  end();
  if (output_ >= 0) close(output_);
  if (input_ >= 0) close(input_);
}

bool Child::ended() {
  read_output();
  if (!ended_ && pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) {
    ended_ = true;
    read_output();
    kill(-pid_, SIGKILL);  // what it left behind
  }
  return ended_;
}

void Child::end() {
  if (ended_ || pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
  ended_ = true;
}

bool Child::succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

bool Child::write(const std::string& text) {
  return send(input_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(text.size());
}

void Child::read_output() {
  char some[1024];
  // One that prints without end must not keep the caller here.
  for (int reads = 0; reads < most_reads; ++reads) {
    const ssize_t count = read(output_, some, sizeof some);
    if (count <= 0) return;
    if (text_.size() < most_output) text_.append(some, static_cast<std::size_t>(count));
  }
}

}  // namespace kernels
