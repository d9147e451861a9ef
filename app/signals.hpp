// Ctrl-C and its relatives as a flag that the sweep asks for. Holds the program's only state
// outside objects, because a signal handler can reach nothing else.
#pragma once

namespace app {

/// The first SIGINT, SIGTERM or SIGHUP sets the flag, the next ends the process at once with exit
/// code 130. SIGHUP stays ignored under nohup.
void catch_interrupts();

/// True once one of them came.
bool interrupted();

/// Writing to a closed pipe, or beyond the limit of `ulimit -f`, becomes an error of `write`
/// instead of the end of the process.
void ignore_write_signals();

/// Opens /dev/null for standard streams that are closed, so that no file of ours ends up as one.
/// Standard output is opened for reading, so that writing to it still fails.
void occupy_standard_streams();

}  // namespace app
