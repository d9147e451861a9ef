// A program that runs beside this one, in a process group of its own, so that what it starts ends
// with it. No shell: the arguments are what they are.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace kernels {

class Child {
 public:
  /// What it reads: nothing, or what write() gives it.
  enum class Input : bool { none, written };
  /// Starts arguments[0], from PATH where it is no path. Of its output 4 KiB are kept, and of its
  /// errors where it reads nothing: one that answers may warn as it likes.
  explicit Child(const std::vector<std::string>& arguments, Input = Input::none);
  /// Ends it.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool started() const { return pid_ > 0; }
  /// True when it has ended. Never waits.
  bool ended();
  /// Ends it and what it started, now.
  void end();
  /// Whether it ended by itself, without an error.
  bool succeeded() const;
  /// What it printed so far; ended() reads more. A reader may take away what it has read.
  std::string& output() { return text_; }
  /// Gives it text to read; false where it no longer reads.
  bool write(const std::string& text);

 private:
  void read_output();

  pid_t pid_ = -1;
  int output_ = -1;
  int input_ = -1;
  int status_ = -1;
  bool ended_ = false;
  std::string text_;
};

}  // namespace kernels
