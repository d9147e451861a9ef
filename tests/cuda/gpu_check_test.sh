#!/bin/sh
# scripts/gpu-check.sh with hand-written counters and with stand-ins for the tools, and for real where there is no GPU.
#   sh gpu_check_test.sh FOLDER-OF-cuda_gpu_test
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
scripts=$(cd "$here/../../scripts" && pwd)
script=$scripts/gpu-check.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
wrong=0

# expect STATUS TEXT: of the last run, whose output is in $scratch/out and whose status in $status.
expect() {
  if [ "$status" -ne "$1" ] || ! grep -qF -- "$2" "$scratch/out"; then
    printf 'FAILED: expected status %s and "%s", got status %s and\n' "$1" "$2" "$status"
    cat "$scratch/out"
    wrong=1
  fi
}
table() {
  sh "$script" --table "$1" "$2" >"$scratch/out" 2>&1
  status=$?
}

work=$here/ncu/work.txt
counters=$here/ncu/counters.csv
table "$work" "$counters"
expect 0 'chain fma fp32 fused                      1.6e+10    1.0000          2e+09    0.9850  ok'
expect 0 'chain fma bf16 unfused                      8e+09    1.0000          4e+09    0.9900  ok'
# Half of the products ran as x a - 0 on the second pipe.
expect 0 'chain mul fp16 fused                        8e+09    1.0000          2e+09    0.9900  ok'
expect 0 'peak mma bf16                               1e+12    1.0000              0         -  ok'
expect 0 'peak fma int32                              5e+09         -              0         -  no counter'
expect 0 'peak gemm fp64                              2e+09    1.0000              0         -  ok'
expect 0 'skipped: peak gemm fp8: cuBLASLt 13.1.0 has no algorithm'

# Two per cent more FLOP, six per cent fewer bytes, half of a matrix roof.
sed 's/"8,000,000,000"/"8,160,000,000"/' "$counters" >"$scratch/csv"
table "$work" "$scratch/csv"
expect 1 'FLOP WRONG'
sed 's/"2,950,000,000"/"2,820,000,000"/' "$counters" >"$scratch/csv"
table "$work" "$scratch/csv"
expect 1 'BYTES WRONG'
sed 's/"1,000,000,000,000"/"500,000,000,000"/' "$counters" >"$scratch/csv"
table "$work" "$scratch/csv"
expect 1 'FLOP WRONG'
grep -v copy_kernel "$counters" >"$scratch/csv"
table "$work" "$scratch/csv"
expect 1 'NOT PROFILED'
sed '$d' "$work" | sed '$d' >"$scratch/work"
table "$scratch/work" "$counters"
expect 1 'ncu saw 7 cases, 6 were run'
printf '==ERROR== something\n' >"$scratch/csv"
table "$work" "$scratch/csv"
expect 1 'ncu left no table'
: >"$scratch/work"
table "$scratch/work" "$counters"
expect 1 'ncu saw 7 cases, 0 were run'

# What an H200 counted (ncu/README.md): chains of halves that move constants, and products in tiles of 320.
real_work=$here/ncu/h200-work.txt
real=$here/ncu/h200-counters.csv
table "$real_work" "$real"
expect 0 'chain fma fp16 fused                  1.20796e+10    1.0156     3.0199e+09    0.9919  ok: each thread moves 2 constants by HFMA2'
expect 0 'chain add bf16 unfused                1.50995e+09    1.1250     6.0398e+09    0.9918  ok: each thread moves 2 constants by HFMA2'
expect 0 'peak gemm fp16                        1.09951e+12    1.0156              0         -  ok: executes 1.6 % more than it claims: tiles of 320'
expect 0 'peak gemm fp8                         1.09951e+12    1.0000              0         -  ok'
expect 0 'rowwise sum bf16                       8.7294e+08    1.0000    1.51142e+09    1.0017  ok'
expect 0 'decode fma fp32                       7.54975e+08    1.0195     7.5536e+08    1.0028  ok: executes 1.95 % more than it claims: a warp adds up its sums'
# wrong_where WORK COUNTERS CASE: the verdict on this case, and on no other.
wrong_where() {
  table "$1" "$2"
  expect 1 "$3"
  if [ "$(grep -c WRONG "$scratch/out")" -ne 1 ] || ! grep "^$3 " "$scratch/out" | grep -q 'FLOP WRONG'; then
    echo "FAILED: expected that $3 alone is wrong" && cat "$scratch/out" && wrong=1
  fi
}
# More constants than the machine code moves, and half of one; a kernel without tiles in its name, and with others.
sed 's/^\(case\tchain fma fp16 fused\t.*\t\)4\t0\t0$/\11\t0\t0/' "$real_work" >"$scratch/work"
wrong_where "$scratch/work" "$real" 'chain fma fp16 fused'
sed '/Fp16Pair, kernels::Fma/s/"3,067,084,800"/"3,055,288,320"/' "$real" >"$scratch/csv"
wrong_where "$real_work" "$scratch/csv" 'chain fma fp16 fused'
sed 's/nvjet_sm90_hsh_320x128_64x3_1x2_h_bz_coopB_TNT/nvjet_sm90_hsh/' "$real" >"$scratch/csv"
wrong_where "$real_work" "$scratch/csv" 'peak gemm fp16'
sed 's/nvjet_sm90_tst_320x128_/nvjet_sm90_tst_256x128_/' "$real" >"$scratch/csv"
wrong_where "$real_work" "$scratch/csv" 'peak gemm bf16'
# Half of the additions of a warp.
sed '/^case\tdecode/s/14745600$/7372800/' "$real_work" >"$scratch/work"
wrong_where "$scratch/work" "$real" 'decode fma fp32'
# Tiles that reach beyond both sides of a product: (8320 x 8256) / 8192^2.
sed '/nvjet_sm90_hsh/s/_320x128_/_320x192_/; /nvjet_sm90_hsh/s/"1,116,691,496,960"/"1,125,415,649,280"/' "$real" >"$scratch/csv"
table "$real_work" "$scratch/csv"
expect 0 'executes 2.4 % more than it claims: tiles of 320 x 192'

# The whole script with stand-ins: a GPU whose tests pass, and tools that do what TOOLS say.
mkdir "$scratch/bin" "$scratch/tools" "$scratch/bare"
for tool in sh awk sed grep cat mktemp rm rmdir dirname basename sort paste head tail tr date timeout uname env mkdir mv \
  cp; do
  ln -s "$(command -v "$tool")" "$scratch/bare/$tool"
done
stand_in() {
  { printf '#!/bin/sh\n'; cat; } >"$1"
  chmod +x "$1"
}
stand_in "$scratch/bin/cuda_gpu_test" <<'EOF'
sleep "${GPU_TEST_SECONDS:-0}"
case "$*" in *"knows itself"*) exit 0 ;; esac
exit ${GPU_TEST_STATUS:-0}
EOF
stand_in "$scratch/bin/cuda_gpu_work" <<EOF
cat "$work"
EOF
stand_in "$scratch/bin/cuda_gpu_figures" <<'EOF'
printf 'figure\tDRAM copy, 0.5 GB\tbyte\t5e8\t1e-4,1.1e-4\n'
EOF
stand_in "$scratch/bin/ridgepoint" <<'EOF'
echo "ridgepoint $*, cache in $XDG_CACHE_HOME"
while [ $# -gt 0 ]; do
  [ "$1" = -o ] && echo '{}' >"$2"
  shift
done
EOF
stand_in "$scratch/tools/compute-sanitizer" <<'EOF'
echo "sanitizer $*"
[ -z "${SANITIZER_REFUSES:-}" ] || { echo '========= Error: Device not supported. Please refer to it'; exit 1; }
case "$*" in *"knows itself"*) exit 0 ;; *"${SANITIZER_FAILS:-nothing}"*) exit 9 ;; esac
EOF
stand_in "$scratch/tools/nvbandwidth" <<'EOF'
echo "SUM device_local_copy 2150.5"
EOF
stand_in "$scratch/tools/python3" <<'EOF'
case $2 in *assert*) exit 0 ;; esac
printf 'figure\tPyTorch 2.9 bf16 matmul 8192\tFLOP\t1.1e12\t1.4e-3\n'
EOF
stand_in "$scratch/tools/ncu" <<EOF
case "\$*" in
  *--query-metrics*)
    echo 'Device Stand-in GPU (GH100)'
    echo 'dram__bytes     Counter    byte    # of bytes accessed in DRAM'
    echo 'sm__ops_path_tensor_src_bf16_dst_fp32    Counter    # of math ops executed in Tensor path'
    echo 'sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off    Counter    the same'
    echo 'sm__ops_path_tensor_src_fp8_dst_fp32_sparsity_off    Counter    # of math ops'
    echo 'smsp__sass_thread_inst_executed_op_ffma_pred_on    Counter    inst'
    exit 0 ;;
esac
echo "ncu \$*" >&2
if [ -n "\${NCU_REFUSES:-}" ]; then
  echo "==ERROR== \$NCU_REFUSES" | tr '~' ' '
  exit 1
fi
case "\$*" in *"knows itself"*) exit 0 ;; esac
while [ "\$1" != --log-file ]; do shift; done
cp "\${NCU_COUNTS:-$counters}" "\$2"
"\$3"
EOF
results=$scratch/results
check() { # PATH [VARIABLE=VALUE ...] [-- OPTION ...]
  path=$1
  shift
  rm -rf "$results"
  run "$path" "$@"
}
run() {
  path=$1 settings=
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    settings="$settings $1"
    shift
  done
  [ $# -eq 0 ] || shift
  # shellcheck disable=SC2086
  env $settings PATH="$path" sh "$script" "$scratch/bin" --results "$results" "$@" >"$scratch/out" 2>&1
  status=$?
}
# written TEXT FILE: a file of the results has this line or a part of it.
written() {
  grep -qF -- "$1" "$results/$2" && return
  printf 'FAILED: expected "%s" in %s\n' "$1" "$2"
  cat "$results/$2"
  wrong=1
}
all=$scratch/tools:$PATH
check "$all"
expect 0 "gpu-check: all that was checked is right; \`python3 $scripts/gpu-report.py $results\` makes"
written 'sanitizer --tool initcheck --error-exitcode 9' sanitizer-initcheck.txt
written '--metrics dram__bytes.sum,sm__ops_path_tensor_src_bf16_dst_fp32.sum,sm__ops_path_tensor_src_fp8_dst_fp32_sparsity_off.sum,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum --log-file' ncu.txt
written "sweep --device cuda:0 --lab roofs -o $results/roofs-cold.json, cache in $results/cache" roofs-cold.txt
written 'figure	nvbandwidth device_local_copy	byte	4.301e+12	1' nvbandwidth.txt
written 'chain fma fp32 fused' counters.txt
for step in environment devices gpu-tests roofs-cold roofs-warm figures nvbandwidth torch sweep tile \
  sanitizer-memcheck sanitizer-racecheck sanitizer-initcheck ncu; do
  written "	$step	ok	" steps.tsv
done
for file in devices.json roofs-cold.json roofs-warm.json sweep.json tile.json; do
  [ -s "$results/$file" ] || { echo "FAILED: no $file" && wrong=1; }
done

# One part again leaves what the others found, and replaces what it found before.
run "$all" GPU_TEST_STATUS=1 -- --part 1
expect 1 ' s): exit status 1'
written '1	gpu-tests	failed	' steps.tsv
written '2	roofs-warm	ok	' steps.tsv
if [ "$(grep -c 'gpu-tests' "$results/steps.tsv")" -ne 1 ]; then
  echo 'FAILED: a step is noted twice' && wrong=1
fi
check "$all" SANITIZER_FAILS=racecheck -- --part 5
expect 1 'gpu-check: sanitizer-racecheck: failed'
expect 1 'gpu-check: ncu: ok'
check "$all" SANITIZER_REFUSES=1 -- --part 5
expect 0 'gpu-check: compute-sanitizer: skipped (0 s): compute-sanitizer does not work here: Error: Device not'
for refusal in 'Profiling is not supported on device 0.' 'ERR_NVGPUCTRPERM - The user does not have permission'; do
  check "$all" "NCU_REFUSES=$(echo "$refusal" | tr ' ' '~')" -- --part 5
  expect 0 'gpu-check: sanitizer-initcheck: ok'
  expect 0 "gpu-check: ncu: skipped (0 s): ncu does not work here: ${refusal%% *}"
done
expect 0 'ERR_NVGPUCTRPERM; run as root, or set NVreg_RestrictProfilingToAdminUsers=0 for the driver'
sed 's/"8,000,000,000"/"8,160,000,000"/' "$counters" >"$scratch/csv"
check "$all" "NCU_COUNTS=$scratch/csv" -- --part 5
expect 1 'gpu-check: ncu: failed'
if ! [ -x /usr/local/cuda/bin/ncu ] && ! [ -x /usr/local/cuda/bin/compute-sanitizer ]; then
  check "$scratch/bare" -- --part 5
  expect 0 'gpu-check: ncu: skipped (0 s): ncu is not on PATH'
  expect 0 'gpu-check: compute-sanitizer: skipped (0 s): compute-sanitizer is not on PATH'
  check "$scratch/bare" -- --part 3
  expect 0 'gpu-check: torch: skipped (0 s): no python3 on PATH'
  expect 0 'gpu-check: nvbandwidth: skipped (0 s): nvbandwidth is not on PATH'
fi

# What is carried runs where nothing else of the project is.
sh "$script" --pack "$scratch/bin" "$scratch/carried" >"$scratch/out" 2>&1
status=$?
expect 0 ' total'
expect 0 "gpu-check: carry $scratch/carried to the machine"
[ -s "$scratch/carried/assets/gpu_specs.json" ] || { echo 'FAILED: no datasheets are carried' && wrong=1; }
env PATH="$all" sh "$scratch/carried/gpu-check.sh" --results "$results" --part 5 >"$scratch/out" 2>&1
status=$?
expect 0 'gpu-check: ncu: ok'
cp -R "$scratch/bin" "$scratch/large"
dd if=/dev/zero of="$scratch/large/cuda_gpu_work" bs=1048576 count=0 seek=61 2>/dev/null
sh "$script" --pack "$scratch/large" "$scratch/too-large" >"$scratch/out" 2>&1
status=$?
expect 1 "gpu-check: $scratch/too-large is 62 MiB, more than 60: build it as Release"
sh "$script" --pack "$scratch/tools" "$scratch/none" >"$scratch/out" 2>&1
status=$?
expect 1 'lacks a program; build them: cmake'
sh "$script" --pack >"$scratch/out" 2>&1
status=$?
expect 2 'expected --pack FOLDER, or --pack BUILD FOLDER'
# A program of a build with a window is not carried where one without is there, and refused where it needs a library that
# a server has not.
mkdir -p "$scratch/window/app" "$scratch/window/tests/cuda"
cp "$scratch/bin"/cuda_gpu_* "$scratch/window/tests/cuda"
stand_in "$scratch/tools/ldd" <<'EOF'
case $1 in
  *window/app/ridgepoint) printf '\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tlibglfw.so.3 => not found\n' ;;
  *) printf '\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\t/lib64/ld-linux-x86-64.so.2 (0x2)\n' ;;
esac
EOF
echo with a window >"$scratch/window/app/ridgepoint"
chmod +x "$scratch/window/app/ridgepoint"
env PATH="$all" sh "$script" --pack "$scratch/window" "$scratch/refused" >"$scratch/out" 2>&1
status=$?
expect 1 "app/ridgepoint does not start everywhere: it needs libglfw.so.3; build it: cmake --build"
cp "$scratch/bin/ridgepoint" "$scratch/window/app/ridgepoint_headless"
env PATH="$all" sh "$script" --pack "$scratch/window" "$scratch/headless" >"$scratch/out" 2>&1
status=$?
expect 0 "gpu-check: carry $scratch/headless to the machine"
cmp -s "$scratch/bin/ridgepoint" "$scratch/headless/ridgepoint" || { echo 'FAILED: another program is carried' && wrong=1; }

# From a source tree where nothing is built, the script alone builds what it needs and goes on; so does --pack.
tree=$scratch/tree
mkdir -p "$tree/scripts" "$tree/assets"
cp "$here/../../scripts/gpu-check.sh" "$here/../../scripts/gpu-check-table.awk" "$here/../../scripts/gpu-report.py" \
  "$here/../../scripts/setup.sh" "$tree/scripts"
cp "$here/../../assets/gpu_specs.json" "$tree/assets"
stand_in "$scratch/tools/dpkg-query" <<'EOF'
printf 'install ok installed'
EOF
stand_in "$scratch/tools/cmake" <<EOF
echo "cmake \$*" >>"$scratch/cmake"
[ -z "\${BUILD_FAILS:-}" ] || { echo 'ninja: build stopped' && exit 1; }
[ "\$1" = --build ] || exit 0
mkdir -p "\$2/app" "\$2/tests/cuda"
cp "$scratch/bin/ridgepoint" "\$2/app/ridgepoint"
cp "$scratch/bin"/cuda_gpu_* "\$2/tests/cuda"
EOF
script=$tree/scripts/gpu-check.sh
from_nothing() { # [VARIABLE=VALUE ...] OPTION...
  rm -rf "$tree/build" "$results" "$scratch/cmake"
  env PATH="$all" "$@" >"$scratch/out" 2>&1
  status=$?
}
from_nothing sh "$script" --results "$results" --part 5
expect 0 'gpu-check: ncu: ok'
expect 0 "\`python3 $tree/scripts/gpu-report.py $results\`"
for text in "-B $tree/build/gpu-check" '-DRIDGEPOINT_GUI=OFF -DRIDGEPOINT_TESTS=ON' \
  "cmake --build $tree/build/gpu-check --target gpu_check_programs"; do
  grep -qF -- "$text" "$scratch/cmake" || { echo "FAILED: no $text" && cat "$scratch/cmake" && wrong=1; }
done
from_nothing sh "$script" --pack "$scratch/packed"
expect 0 "gpu-check: carry $scratch/packed to the machine"
from_nothing BUILD_FAILS=1 sh "$script" --results "$results"
expect 1 'gpu-check: the programs could not be built; the message is above'
from_nothing sh "$script" --plan
expect 0 'racecheck'
[ ! -e "$tree/build" ] || { echo 'FAILED: --plan builds' && wrong=1; }
script=$here/../../scripts/gpu-check.sh

# A step that hangs ends at its limit, and the others run.
sed 's/step gpu-tests 140/step gpu-tests 1/' "$script" >"$scratch/gpu-check.sh"
script=$scratch/gpu-check.sh check "$all" GPU_TEST_SECONDS=3 -- --part 1
expect 1 'gpu-check: gpu-tests: timed out ('
expect 1 ' s): it did not end within 1 s'

# What compute-sanitizer runs is there: all kernels, and for racecheck those that share memory.
cases() { # COUNT FILTER
  grep -qF -- "--test-case='$2'" "$script" || { echo "FAILED: nothing runs '$2'" && wrong=1; }
  [ -x "$gpu_tests" ] || return 0
  "$gpu_tests" --list-test-cases --test-case="$2" | grep -q "passing the current filters: $1\$" && return
  printf 'FAILED: cuda_gpu_test has not %s cases "%s"\n' "$1" "$2" && wrong=1
}
gpu_tests=$1/cuda_gpu_test
cases 6 'every kernel of * is right at small sizes'
cases 3 'every kernel of * that shares memory is right at small sizes'

# What it can take, with all probes and the time in which programs are killed: 20 minutes in all, 9 for each part. Every
# time limit of the script is in the plan.
kill_after=$(sed -n 's/^kill_after=\([0-9]*\).*/\1/p' "$script")
sh "$script" --plan | awk -F '\t' -v kill="$kill_after" '
  { part[$1] += $3 + kill; all += $3 + kill; ++steps }
  END {
    for (p in part) if (part[p] >= 540) { print "FAILED: part " p " can take " part[p] " s"; bad = 1 }
    if (kill < 1 || all > 1200 || all < 600) { print "FAILED: all can take " all " s"; bad = 1 }
    print "gpu-check can take " all " s in " steps " steps"
    exit bad
  }' || wrong=1
run "$all" -- --part 6
expect 2 'expected a number from 1 to 5'
run "$all" -- --colour
expect 2 'there is no option --colour'

# For real. On a machine with a GPU this is what a person runs, not this test.
sh "$script" "$scratch/bare" --results "$results" >"$scratch/out" 2>&1
status=$?
expect 1 'cuda_gpu_test or ridgepoint is not in'
if ! [ -x "$1/cuda_gpu_test" ]; then
  printf 'FAILED: no cuda_gpu_test in %s\n' "$1"
  wrong=1
elif "$1/cuda_gpu_test" --test-case='the device knows itself' | grep -q '^skipped: '; then
  ln -s "$1/cuda_gpu_test" "$scratch/bare/cuda_gpu_test"
  ln -s "$scratch/bin/ridgepoint" "$scratch/bare/ridgepoint"
  sh "$script" "$scratch/bare" --results "$results" >"$scratch/out" 2>&1
  status=$?
  expect 1 'gpu-check: nothing could be checked: no CUDA device: '
fi
exit "$wrong"
