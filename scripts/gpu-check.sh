#!/bin/sh
# All that is to be proven on a machine with an NVIDIA GPU, in at most 20 minutes; every step has its own time limit.
#   sh gpu-check.sh [FOLDER] [--results FOLDER] [--part N] [--plan]
#     FOLDER     a build folder, or one that --pack filled; default: the folder of this script where its programs are,
#                else build/gpu-check of the source tree, which is built first and takes some minutes once
#     --results  where the results go, as files; default gpu-check-results
#     --part N   this part alone, below 9 minutes: 1 environment and GPU tests, 2 roofs, 3 figures and the truth from
#                elsewhere, 4 sweeps, 5 compute-sanitizer and ncu. Results of other parts stay.
#     --plan     prints part, step and time limit, those of probes included, and runs nothing
#   sh gpu-check.sh --pack [BUILD] FOLDER  copies what a machine needs that builds nothing, and prints its size; fails
#                                          above 60 MiB, and where a program needs a library that is not everywhere
# Tools that are missing, or that this GPU does not support, are named and skipped. Exit status 0 only when all that ran
# is right. `python3 gpu-report.py RESULTS` makes one page of the results.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
device=cuda:0
target=gpu_check_programs # of CMake: all programs below
folder= only= plan= results=gpu-check-results
most_packed=60 # MiB

say() { printf 'gpu-check: %s\n' "$*"; }

# The first of these paths that is a program; its absolute path.
program() {
  for path in "$@"; do
    if [ -f "$path" ] && [ -x "$path" ]; then
      (CDPATH= cd -- "$(dirname -- "$path")" && printf '%s/%s\n' "$(pwd)" "$(basename -- "$path")")
      return
    fi
  done
}
find_programs() { # FOLDER
  tests=$(program "$1/cuda_gpu_test" "$1/tests/cuda/cuda_gpu_test")
  work=$(program "$1/cuda_gpu_work" "$1/tests/cuda/cuda_gpu_work")
  figures=$(program "$1/cuda_gpu_figures" "$1/tests/cuda/cuda_gpu_figures")
  ridgepoint=$(program "$1/ridgepoint" "$1/app/ridgepoint_headless" "$1/app/ridgepoint")
}

# Builds them: without the window they need few packages, and start on every server.
build_programs() ( # FOLDER
  . "$here/setup.sh"
  build=$1
  say "gpu-check: building the programs in $build, which takes some minutes the first time"
  # shellcheck disable=SC2086
  ensure_packages $headless_packages doctest-dev && mkdir -p "$build" &&
    configure -DRIDGEPOINT_GUI=OFF -DRIDGEPOINT_TESTS=ON && cmake --build "$build" --target "$target" >&2
)
# FOLDER where none is named: that of this script, or in the source tree one of its own, which is built.
default_folder() {
  folder=$here
  [ -f "$here/setup.sh" ] || return 0
  folder=$(CDPATH= cd -- "$here/.." && pwd)/build/gpu-check
  [ -n "$plan" ] || build_programs "$folder" || {
    say 'the programs could not be built; the message is above'
    exit 1
  }
}

# Libraries that a program needs and that not every machine has.
foreign_libraries() {
  ldd "$1" 2>/dev/null | awk '
    $1 ~ /\.so/ && $1 !~ /^(linux-vdso|\/.*ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so)/ { print $1 }' |
    paste -s -d ' ' -
}

pack() { # [BUILD] FOLDER
  case $# in
    1)
      default_folder
      set -- "$folder" "$1" ;;
    2) ;;
    *)
      say "expected --pack FOLDER, or --pack BUILD FOLDER"
      exit 2 ;;
  esac
  find_programs "$1"
  for path in "$tests" "$work" "$figures" "$ridgepoint"; do
    [ -n "$path" ] || {
      say "$1 lacks a program; build them: cmake $1 -DRIDGEPOINT_TESTS=ON && cmake --build $1 --target $target"
      exit 1
    }
    foreign=$(foreign_libraries "$path")
    [ -z "$foreign" ] || {
      say "$path does not start everywhere: it needs $foreign; build it: cmake --build $1 --target $target"
      exit 1
    }
  done
  mkdir -p "$2/assets" || exit 1
  cp "$tests" "$work" "$figures" "$here/gpu-check.sh" "$here/gpu-check-table.awk" "$here/gpu-report.py" "$2" &&
    cp "$ridgepoint" "$2/ridgepoint" && cp "$here/../assets/gpu_specs.json" "$2/assets" || exit 1
  for name in cuda_gpu_test cuda_gpu_work cuda_gpu_figures ridgepoint; do
    strip "$2/$name" 2>/dev/null # the same program without names for a debugger
  done
  (CDPATH= cd -- "$2" && find . -type f -exec wc -c {} + | sed 's|\./||')
  mib=$(find "$2" -type f -exec cat {} + | wc -c | awk '{ print int(($1 + 1048575) / 1048576) }')
  if [ "$mib" -gt "$most_packed" ]; then
    say "$2 is $mib MiB, more than $most_packed: build it as Release, for the architecture of that machine" \
      "(-DCMAKE_CUDA_ARCHITECTURES=90)"
    exit 1
  fi
  say "carry $2 to the machine, run there: sh $(basename -- "$2")/gpu-check.sh, and bring gpu-check-results back"
}

environment() {
  date -u
  uname -a
  for command in 'nvidia-smi' 'nvidia-smi -q -d CLOCK,POWER,PERFORMANCE,TEMPERATURE,COMPUTE,ECC' 'nvcc --version' \
    'compute-sanitizer --version' 'ncu --version' 'nvbandwidth --help' 'lscpu' 'free -g'; do
    printf '\n$ %s\n' "$command"
    $command 2>&1
  done
  printf '\n$ env\n'
  env | grep -E '^(CUDA_|NVIDIA_VISIBLE|RIDGEPOINT_)' | sort
  return 0
}

case ${1:-} in
  --table) exec awk -f "$here/gpu-check-table.awk" "$2" "$3" ;; # the table alone, for tests: --table WORK COUNTERS
  --pack) shift && pack "$@" && exit ;;
  --environment) environment && exit ;;
esac

while [ $# -gt 0 ]; do
  case $1 in
    --results) results=${2:?} && shift ;;
    --part) only=${2:?} && shift ;;
    --plan) plan=yes ;;
    -*) say "there is no option $1; see the head of $0" && exit 2 ;;
    *) folder=$1 ;;
  esac
  shift
done
case $only in
  '' | [1-5]) ;;
  *) say "--part $only: expected a number from 1 to 5" && exit 2 ;;
esac

failed=0 child= why=
kill_after=2 # seconds that a program has left to end in, when its time is over
PATH=$PATH:/usr/local/cuda/bin
trap 'exit 130' INT TERM
trap '[ -z "$child" ] || kill "$child" 2>/dev/null' EXIT

# note OUTCOME REASON: of the step $name of $part
note() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$part" "$name" "$1" "$seconds" "$limit" "$2" >>"$results/steps.tsv"
  say "$name: $1 ($seconds s)${2:+: $2}"
}
fail() {
  note failed "$1"
  failed=1
}
skip() { # NAME REASON
  name=$1 seconds=0 limit=0
  [ -n "$plan" ] || note skipped "$2"
}
# timed NAME LIMIT COMMAND...: runs it; what it prints goes to NAME.txt. Its exit status, 124 when the time was over.
timed() {
  name=$1 limit=$2
  shift 2
  begin=$(date +%s)
  timeout -k "$kill_after" "$limit" "$@" >"$results/$name.txt" 2>&1 &
  child=$!
  wait "$child"
  status=$?
  child=
  seconds=$(($(date +%s) - begin))
  return "$status"
}
# step NAME LIMIT COMMAND...: the same, with its outcome noted.
step() {
  if [ -n "$plan" ]; then
    printf '%s\t%s\t%s\n' "$part" "$1" "$2"
    return
  fi
  timed "$@"
  judge "$status"
}
judge() { # STATUS
  case $1 in
    0) note ok '' ;;
    124 | 137)
      note 'timed out' "it did not end within $limit s"
      failed=1 ;;
    *)
      last=$(tail -n 1 "$results/$name.txt" | tr '\t' ' ')
      fail "exit status $1${last:+: $last}" ;;
  esac
}
have() { [ -n "$plan" ] || command -v "$1" >/dev/null 2>&1; }

# ---- the parts; all limits, and $kill_after for each, add up to 20 minutes ----
part_1() {
  step environment 20 sh "$here/gpu-check.sh" --environment
  step devices 30 "$ridgepoint" devices --json
  [ -n "$plan" ] || cp "$results/devices.txt" "$results/devices.json"
  step gpu-tests 140 "$tests"
}

# Cold: the search for shapes included. Warm: as every later run finds them.
part_2() {
  [ -n "$plan" ] || rm -rf "$results/cache"
  step roofs-cold 200 "$ridgepoint" sweep --device "$device" --lab roofs -o "$results/roofs-cold.json"
  step roofs-warm 60 "$ridgepoint" sweep --device "$device" --lab roofs -o "$results/roofs-warm.json"
}

torch_program='
import torch
for name, dtype, n in (("fp16", torch.float16, 8192), ("bf16", torch.bfloat16, 8192), ("fp32", torch.float32, 4096)):
    a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in "ab")
    samples = []
    for turn in range(12):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in "be")
        begin.record()
        for _ in range(5):
            a @ b
        end.record()
        torch.cuda.synchronize()
        samples.append(begin.elapsed_time(end) / 5e3)
    print("figure", f"PyTorch {torch.__version__} {name} matmul {n}", "FLOP", 2 * n**3,
          ",".join(f"{s:.9g}" for s in samples[2:]), sep="\t")
'
part_3() {
  if [ -n "$figures" ] || [ -n "$plan" ]; then
    step figures 30 "$figures"
  else
    skip figures "cuda_gpu_figures is not in $folder"
  fi
  if have nvbandwidth; then
    step nvbandwidth 30 nvbandwidth -t device_local_copy
    # It counts what is copied once, in GB/s; a copy reads and writes.
    [ -n "$plan" ] || awk '$1 == "SUM" && $2 == "device_local_copy" {
      printf "figure\tnvbandwidth device_local_copy\tbyte\t%.9g\t1\n", 2e9 * $3 }' "$results/nvbandwidth.txt" \
      >>"$results/nvbandwidth.txt"
  else
    skip nvbandwidth 'nvbandwidth is not on PATH; build it from github.com/NVIDIA/nvbandwidth'
  fi
  [ -z "$plan" ] || step torch-probe 15
  if [ -n "$plan" ] || timeout -k "$kill_after" 15 python3 -c 'import torch; assert torch.cuda.is_available()' >/dev/null 2>&1; then
    step torch 60 python3 -c "$torch_program"
  else
    skip torch 'no python3 on PATH has a PyTorch that sees a GPU'
  fi
}

part_4() {
  step sweep 60 "$ridgepoint" sweep --device "$device" --fusion both -o "$results/sweep.json"
  step tile 60 "$ridgepoint" sweep --device "$device" --units both --dtype bf16 -o "$results/tile.json"
  [ -z "$plan" ] || return 0
  for name in sweep tile; do
    "$ridgepoint" explain "$results/$name.json" >"$results/$name-explained.txt" 2>/dev/null
  done
}

# probe TOOL COMMAND...: why a tool does not work with this GPU, in its own words, in $why; empty where it does. Some
# support no virtual GPUs, and counters may be kept for the administrator.
probe() {
  if [ -n "$plan" ]; then
    step "$1-probe" 15
    return
  fi
  timed "$1-probe" 15 "$@" "$tests" "$small_test"
  why=$(refusal)
}
counters_remedy='run as root, or set NVreg_RestrictProfilingToAdminUsers=0 for the driver'
refusal() {
  grep -iE -m 1 'not supported|ERR_NVGPUCTRPERM|insufficient permission' "$results/$name.txt" | tr '\t' ' ' |
    sed "s/^=*\(ERROR\)*=* *//; s/ERR_NVGPUCTRPERM/&; $counters_remedy/"
}
small_test="--test-case=the device knows itself"

sanitize() {
  if ! have compute-sanitizer; then
    skip compute-sanitizer 'compute-sanitizer is not on PATH; it comes with the CUDA Toolkit'
    return
  fi
  probe compute-sanitizer --tool memcheck
  [ -z "$why" ] || { skip compute-sanitizer "compute-sanitizer does not work here: $why" && return; }
  for tool in memcheck initcheck; do
    step "sanitizer-$tool" 30 compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests" \
      --test-case='every kernel of * is right at small sizes'
  done
  # Races are looked for in shared memory alone. All cases took 153 s on an H200, the other tools 5.
  step sanitizer-racecheck 200 compute-sanitizer --tool racecheck --error-exitcode 9 "$tests" \
    --test-case='every kernel of * that shares memory is right at small sizes'
}

# The counters that this ncu knows for this GPU. For matrix units the whole, or, where only its parts are known, the
# part without sparsity.
known_metrics() {
  timeout -k "$kill_after" 15 ncu --query-metrics 2>/dev/null | awk '
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
  if ! have ncu; then
    skip ncu 'ncu is not on PATH, so work was not compared with hardware counters; it comes with the CUDA Toolkit'
    return
  fi
  if [ -z "$work" ] && [ -z "$plan" ]; then
    skip ncu "cuda_gpu_work is not in $folder, so work was not compared with hardware counters"
    return
  fi
  probe ncu --csv --clock-control none --metrics dram__bytes.sum
  [ -z "$why" ] || { skip ncu "ncu does not work here: $why" && return; }
  if [ -n "$plan" ]; then
    step ncu-metrics 15
    step ncu 120
    return
  fi
  metrics=$(known_metrics)
  if [ -z "$metrics" ]; then
    name=ncu
    fail 'ncu names no counters for this GPU, so work was not compared with them'
    return
  fi
  timed ncu 120 ncu --csv --print-units base --profile-from-start off --clock-control none --metrics "$metrics" \
    --log-file "$results/counters.csv" "$work"
  if [ "$status" -ne 0 ]; then
    judge "$status"
    return
  fi
  awk -f "$here/gpu-check-table.awk" "$results/ncu.txt" "$results/counters.csv" >"$results/counters.txt"
  status=$?
  cat "$results/counters.txt"
  if [ "$status" -eq 0 ]; then note ok ''; else fail 'work and counters differ; see counters.txt'; fi
}

part_5() {
  sanitize
  count_work
}

[ -n "$folder" ] || default_folder
find_programs "$folder"
first_limit=20
if [ -n "$plan" ]; then
  printf '0\tfirst-look\t%s\n' "$first_limit"
else
  if [ -z "$tests" ] || [ -z "$ridgepoint" ]; then
    say "cuda_gpu_test or ridgepoint is not in $folder; build them (cmake --build FOLDER --target $target), or name" \
      "their folder"
    exit 1
  fi
  mkdir -p "$results" || exit 1
  results=$(CDPATH= cd -- "$results" && pwd)
  export XDG_CACHE_HOME="$results/cache"
  timeout -k "$kill_after" "$first_limit" "$tests" "$small_test" >"$results/first.txt" 2>&1
  if grep -q '^skipped: ' "$results/first.txt"; then
    say "nothing could be checked: $(sed -n 's/^skipped: [0-9]* GPU tests, //p' "$results/first.txt")"
    rm -f "$results/first.txt"
    rmdir "$results" 2>/dev/null
    exit 1
  fi
  say "results go to $results"
fi
for part in ${only:-1 2 3 4 5}; do
  if [ -z "$plan" ] && [ -f "$results/steps.tsv" ]; then # of this part only what is new counts
    grep -v "^$part	" "$results/steps.tsv" >"$results/steps.new"
    mv "$results/steps.new" "$results/steps.tsv"
  fi
  "part_$part"
done
[ -z "$plan" ] || exit 0

if [ "$failed" -ne 0 ]; then
  say "not all is right; \`python3 $here/gpu-report.py $results\` says what"
  exit 1
fi
say "all that was checked is right; \`python3 $here/gpu-report.py $results\` makes a page of it"
