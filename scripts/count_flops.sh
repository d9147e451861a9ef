#!/bin/sh
# Counts the FLOP that CPU kernels execute, without hardware counters, and compares with the work formula: valgrind counts
# how often each instruction runs, and objdump says what it is (a vfmadd on ymm registers of fp32: 16 FLOP). valgrind has
# no AVX-512 and no AMX, so this covers the kernels up to AVX2. Needs x86-64 and the packages valgrind and binutils.
#   sh scripts/count_flops.sh [BUILD]      BUILD: a configured build folder; build/local unless told
# Exits with 1 when a kernel executes another number than work_of counts, with 2 when nothing could be counted.
set -eu
. "$(dirname -- "$0")/setup.sh"
ensure_packages valgrind binutils
if [ $# -gt 0 ]; then
  build=$1
else
  ensure_packages $build_packages
  mkdir -p "$build"
  configure
fi
cmake --build "$build" --target flop_driver >"$build.log" 2>&1 || {
  cat "$build.log" >&2
  say "ridgepoint: the build failed; the message is above"
  exit 2
}
driver=$build/tests/bench/flop_driver
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One file of counts per call of measured_call, in the order of the lines that the program prints.
valgrind --tool=callgrind --dump-instr=yes --dump-line=no --compress-strings=no --compress-pos=no --collect-atstart=no \
  --toggle-collect=measured_call --dump-after=measured_call --callgrind-out-file="$work/counts" \
  "$driver" >"$work/calls" 2>"$work/valgrind.log" || {
  tail -n 20 "$work/valgrind.log" >&2
  say "ridgepoint: valgrind could not run the kernels; its message is above"
  exit 2
}
objdump -d --no-show-raw-insn "$driver" >"$work/listing"

number=0
: >"$work/executed"
while read -r call; do
  number=$((number + 1))
  printf 'call %s\n' "$call"
  cat "$work/counts.$number"
done <"$work/calls" >"$work/executed"

awk -v driver="$(basename "$driver")" '
  # FLOP of one execution, by the name of an instruction without the v of VEX, and its operands.
  function flops_of(name, operands,   bits) {
    bits = operands ~ /%ymm/ ? 256 : 128
    if (name ~ /^fn?m(add|sub)[123]+(ps|pd)$/) return 2 * bits / (name ~ /ps$/ ? 32 : 64)
    if (name ~ /^fn?m(add|sub)[123]+(ss|sd)$/) return 2
    if (name ~ /^(add|sub|mul|div|sqrt)(ps|pd)$/) return bits / (name ~ /ps$/ ? 32 : 64)
    if (name ~ /^(add|sub|mul|div|sqrt)(ss|sd)$/) return 1
    return 0
  }
  # The same of integers; additions of other widths than 32 bits and of addresses are no work of a kernel.
  function integer_ops_of(name, operands,   bits) {
    bits = operands ~ /%ymm/ ? 256 : 128
    if (name ~ /^(paddd|psubd|pmulld)$/) return bits / 32
    if (name == "pmuludq") return bits / 64            # two of them multiply what one pmulld does
    if (name == "pmaddwd") return 3 * bits / 32        # two products and their sum
    return 0
  }
  function finish(   words, repeats, what) {
    if (call == "") return
    split(call, words, " ")
    what = words[1] " " words[2] " " words[3] " " words[4] " " words[5]
    counted = words[3] ~ /^int/ ? integers : floats
    if (words[8] == "from") { before = counted; before_work = words[7]; before_repeat = words[6]; return }
    repeats = words[6]
    expected = words[7]
    if (words[8] == "to") { counted -= before; expected -= before_work; repeats = before_repeat "-" words[6] }
    same = counted == expected
    printf "%-6s %-8s %-6s %-10s %8s %8s %12d / %-12d %s\n", words[1], words[2], words[3], words[4], words[5], repeats,
      counted, expected, same ? "equal" : "DIFFERENT"
    ++cases
    different += !same
  }
  FILENAME ~ /listing$/ {
    if ($1 !~ /:$/ || NF < 2) next
    address = substr($1, 1, length($1) - 1)
    name = $2 ~ /^\{/ ? $3 : $2
    sub(/^v/, "", name)
    operands = $0
    floating[address] = flops_of(name, operands)
    whole[address] = integer_ops_of(name, operands)
    next
  }
  FNR == 1 {
    printf "%-6s %-8s %-6s %-10s %8s %8s %12s / %-12s\n", "kernel", "op", "type", "built for", "elements", "repeat",
      "executed", "work_of"
  }
  /^call / { finish(); call = substr($0, 6); floats = integers = 0; skip = 0; next }
  /^ob=/ { ours = substr($0, 4) ~ ("/" driver "$"); next }
  /^calls=/ { skip = 1; next }                         # the next line counts what was called, which has lines of its own
  /^0x/ {
    if (skip) { skip = 0; next }
    if (!ours) next
    address = substr($1, 3)
    floats += floating[address] * $2
    integers += whole[address] * $2
  }
  END {
    finish()
    if (cases == 0) { print "nothing was counted"; exit 2 }
    printf "%d kernels and sizes: %d execute what work_of counts, %d differ. Not run: AVX-512 and AMX (valgrind has neither).\n",
      cases, cases - different, different
    exit different > 0
  }' "$work/listing" "$work/executed"
