// The command line: what was typed -> one command -> an exit code.
#pragma once

namespace app {

/// Runs the command and returns its exit code. Never throws: every error becomes one sentence on
/// standard error.
int run(int argc, char** argv);

}  // namespace app
