#!/bin/sh
# logged.sh LOG COMMAND...: runs the command, keeps what it says on stderr in LOG, and shows it when it fails.
log=$1
shift
"$@" 2>"$log" || { status=$?; cat "$log" >&2; exit "$status"; }
