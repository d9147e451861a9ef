#!/bin/sh
# Every way of host_table.cu to read a table of the host in device code is refused, and the other one compiles.
#   sh host_tables_test.sh NVCC OPTION...
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
compile() { # WAY
  way=$1
  shift
  "$@" -DWAY="$way" -ptx -arch=sm_80 -o "$scratch/table.ptx" "$here/host_table.cu" >"$scratch/out" 2>&1
}
wrong=0
compile 0 "$@" || { echo 'FAILED: what device code may know does not compile' && cat "$scratch/out" && wrong=1; }
for number in 1 2 3 4 5 6; do
  if compile "$number" "$@"; then
    echo "FAILED: way $number compiles" && wrong=1
  elif ! grep -qE 'error: .*(is not allowed|undefined in device code)' "$scratch/out"; then
    echo "FAILED: way $number is refused for another reason" && cat "$scratch/out" && wrong=1
  fi
done
exit "$wrong"
