// How the program ends: the exit codes of the command line, and the one exception that carries
// them.
#pragma once

#include <stdexcept>
#include <string>

namespace app {

/// Exit codes. Anything above 3 is a signal's.
enum class Exit : int { done = 0, failed = 1, usage = 2, no_device = 3, interrupted = 130 };

/// Ends the program with this code; `what()` is the one sentence for stderr: what, where, remedy.
struct Failure : std::runtime_error {
  Failure(Exit exit_code, const std::string& sentence)
      : std::runtime_error(sentence), code(exit_code) {}
  Exit code;
};

}  // namespace app
