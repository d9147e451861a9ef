#!/bin/sh
# Installs what is missing, builds everything, runs every test, two at a time: half of them wait for a window most of
# the time. Arguments go to ctest.
set -eu
. "$(dirname -- "$0")/setup.sh"
ensure_packages $build_packages $test_packages
mkdir -p "$build"
configure -DRIDGEPOINT_TESTS=ON
cmake --build "$build"
cmake --build "$build" --target all_verify_interface_header_sets
choose_faults
ctest --test-dir "$build" --output-on-failure --parallel 4 "$@"
