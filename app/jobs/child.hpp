// A program that runs beside the window and is never waited for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace app {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;
/// Without a name, to be a program's input or output: a pipe would have to be served. Empty where
/// there is no room for one.
File temporary_file();

class Child {
 public:
  using Words = std::vector<std::string>;
  /// What becomes of a program that still runs when this object ends.
  enum class AtEnd { stays, killed };

  explicit Child(AtEnd at_end = AtEnd::stays) : at_end_(at_end) {}
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Starts words[0] from PATH on these descriptors, -1 = /dev/null, silent but for `output` and
  /// with signals as usual; whoever asks for its end later than `patience` kills it. False when it
  /// cannot be started.
  bool start(const Words& words, int input, int output, std::chrono::seconds patience);
  bool running() const { return pid_ > 0; }
  /// Its exit code once it has ended, -1 when a signal ended it; once for every start.
  std::optional<int> ended();

 private:
  AtEnd at_end_;
  pid_t pid_ = 0;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace app
