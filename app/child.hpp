// A program that runs beside the window and is never waited for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace app {

class Child {
 public:
  using Words = std::vector<std::string>;

  /// Starts words[0] from PATH on these descriptors, -1 = /dev/null, silent but for `output` and
  /// with signals as usual; it is killed after `patience`. False when it cannot be started.
  bool start(const Words& words, int input, int output, std::chrono::seconds patience);
  bool running() const { return pid_ > 0; }
  /// Its exit code once it has ended, -1 when a signal ended it; once for every start.
  std::optional<int> ended();

 private:
  pid_t pid_ = 0;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace app
