#!/bin/sh
# Ours and every peer program or library that is here, in pairs on this machine: ratios with intervals, as a table.
#   sh scripts/compare-peers.sh [--device cpu|cuda:N]
set -eu
. "$(dirname -- "$0")/setup.sh"
ensure_packages $build_packages
mkdir -p "$build"
configure -DRIDGEPOINT_TESTS=OFF
say "ridgepoint: building"
cmake --build "$build" --target ridgepoint compare_peers >"$build.log" 2>&1 || {
  cat "$build.log" >&2
  say "ridgepoint: the build failed; the message is above"
  exit 1
}
session=$(mktemp)
trap 'rm -f "$session"' EXIT
say "ridgepoint: measuring every roof, the best shape searched again"
"$build/app/ridgepoint" sweep "$@" --lab roofs --remeasure -o "$session" >/dev/null
"$build/tests/bench/compare_peers" "$session"
