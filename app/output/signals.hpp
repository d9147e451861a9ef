// Ctrl-C and its relatives as a flag that the sweep asks for. Holds the program's only state
// outside objects, because a signal handler can reach nothing else.
#pragma once

namespace app {

/// From now on SIGINT, SIGTERM and SIGHUP are taken as take_interrupt() says. One that was ignored
/// at the start stays ignored, as nohup and shell scripts want it of background jobs.
void catch_interrupts();

/// Whether this process ignores a signal.
bool is_ignored(int signal);

/// The first call sets the flag; one that comes a second or more after it ends the process at once
/// with exit code 130. A signal handler may call it.
void take_interrupt();

/// True once an interrupt came.
bool interrupted();

/// Writing to a closed pipe, or beyond the limit of `ulimit -f`, becomes an error of `write`
/// instead of the end of the process.
void ignore_write_signals();

/// Opens /dev/null for standard streams that are closed, so that no file of ours ends up as one.
/// Standard output is opened for reading, so that writing to it still fails.
void occupy_standard_streams();

}  // namespace app
