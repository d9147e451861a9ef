#!/bin/sh
# Proof on a machine with an NVIDIA GPU that kernels are right and that their work is counted truly: every GPU test, the
# compute-sanitizer's memcheck, racecheck and initcheck, and ncu's hardware counters against our FLOP and DRAM bytes.
#   sh scripts/gpu-check.sh [FOLDER]     a build folder, or one that holds cuda_gpu_test and cuda_gpu_work
# Tools that are missing are named and skipped. Exit status 0 only when all that ran is right.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

say() { printf 'gpu-check: %s\n' "$*"; }
fail() { say "$*"; failed=1; }

# The table alone, for tests: gpu-check.sh --table WORK COUNTERS
if [ "${1:-}" = --table ]; then
  exec awk -f "$here/gpu-check-table.awk" "$2" "$3"
fi

folder=${1:-$here/../build}
failed=0
PATH=$PATH:/usr/local/cuda/bin

program() {
  for path in "$folder/$1" "$folder/tests/cuda/$1"; do
    if [ -x "$path" ]; then
      (CDPATH= cd -- "$(dirname -- "$path")" && printf '%s/%s\n' "$(pwd)" "$1")
      return
    fi
  done
}

tests=$(program cuda_gpu_test)
if [ -z "$tests" ]; then
  say "cuda_gpu_test is not in $folder; build it (cmake --build FOLDER --target cuda_gpu_test cuda_gpu_work), or name its folder"
  exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# ---- every GPU test ----
"$tests" --test-case='the device knows itself' >"$scratch/first" 2>&1
if grep -q '^skipped: ' "$scratch/first"; then
  say "nothing could be checked: $(sed -n 's/^skipped: [0-9]* GPU tests, //p' "$scratch/first")"
  exit 1
fi
say "GPU tests"
"$tests" || fail "GPU tests failed"

# ---- compute-sanitizer ----
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck; do
    say "compute-sanitizer $tool"
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests" --test-case='every kernel is right at small sizes' ||
      fail "compute-sanitizer $tool found errors"
  done
else
  say "compute-sanitizer is not on PATH, so memory accesses were not checked; it comes with the CUDA Toolkit"
fi

# ---- hardware counters ----
# The counters that this ncu knows for this GPU. For matrix units the whole, or, where only its parts are known, the
# part without sparsity.
known_metrics() {
  ncu --query-metrics 2>/dev/null | awk '
    $1 == "dram__bytes" || $1 ~ /^smsp__sass_thread_inst_executed_op_[fdh](add|mul|fma)_pred_on$/ { print $1 ".sum" }
    $1 ~ /^sm__ops_path_tensor_src_(fp16|bf16|tf32|fp64|fp8|int8)(_dst_[a-z0-9]+)?(_sparsity_off)?$/ { tensor[$1] = 1 }
    END {
      for (name in tensor) {
        whole = name
        sub(/_sparsity_off$/, "", whole)
        if (name == whole || !(whole in tensor)) print name ".sum"
      }
    }' | sort | paste -sd, -
}

count_work() {
  work=$(program cuda_gpu_work)
  if [ -z "$work" ]; then
    fail "cuda_gpu_work is not in $folder, so work was not compared with counters"
    return
  fi
  metrics=$(known_metrics)
  if [ -z "$metrics" ]; then
    fail "ncu names no counters for this GPU, so work was not compared with them"
    return
  fi
  say "hardware counters against our work"
  ncu --csv --print-units base --profile-from-start off --clock-control none --metrics "$metrics" \
    --log-file "$scratch/counters" "$work" >"$scratch/work" 2>"$scratch/messages"
  status=$?
  cat "$scratch/messages"
  if grep -q ERR_NVGPUCTRPERM "$scratch/counters" "$scratch/messages" "$scratch/work"; then
    fail "ncu may not read the GPU's counters; run as root, or set NVreg_RestrictProfilingToAdminUsers=0 for the driver"
    return
  fi
  if [ "$status" -ne 0 ]; then
    grep '^==' "$scratch/counters" "$scratch/work"
    fail "ncu ended with status $status"
  fi
  awk -f "$here/gpu-check-table.awk" "$scratch/work" "$scratch/counters" || fail "work and counters differ"
}

if command -v ncu >/dev/null; then
  count_work
else
  say "ncu is not on PATH, so work was not compared with hardware counters; it comes with the CUDA Toolkit"
fi

if [ "$failed" -ne 0 ]; then
  say "not all is right"
  exit 1
fi
say "all that was checked is right"
