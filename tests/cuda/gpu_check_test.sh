#!/bin/sh
# scripts/gpu-check.sh with hand-written counters and with stand-ins for the tools, and for real where there is no GPU.
#   sh gpu_check_test.sh FOLDER-OF-cuda_gpu_test
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
script=$here/../../scripts/gpu-check.sh
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

# The whole script with stand-ins: a GPU whose tests pass, and tools that do what TOOLS say.
mkdir "$scratch/bin" "$scratch/tools" "$scratch/bare"
for tool in sh awk sed grep cat mktemp rm dirname sort paste head; do
  ln -s "$(command -v "$tool")" "$scratch/bare/$tool"
done
stand_in() {
  { printf '#!/bin/sh\n'; cat; } >"$1"
  chmod +x "$1"
}
stand_in "$scratch/bin/cuda_gpu_test" <<'EOF'
exit ${GPU_TEST_STATUS:-0}
EOF
stand_in "$scratch/bin/cuda_gpu_work" <<EOF
cat "$work"
EOF
stand_in "$scratch/tools/compute-sanitizer" <<'EOF'
echo "sanitizer $*"
case "$*" in *"${SANITIZER_FAILS:-nothing}"*) exit 9 ;; esac
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
while [ "\$1" != --log-file ]; do shift; done
if [ -n "\${NCU_REFUSES:-}" ]; then
  echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters' >"\$2"
  exit 1
fi
cp "$counters" "\$2"
"\$3"
EOF
check() { # PATH [VARIABLE=VALUE]
  path=$1
  shift
  env "$@" PATH="$path" sh "$script" "$scratch/bin" >"$scratch/out" 2>&1
  status=$?
}
all=$scratch/tools:$PATH
check "$all"
expect 0 'gpu-check: all that was checked is right'
expect 0 'sanitizer --tool initcheck --error-exitcode 9'
expect 0 '--metrics dram__bytes.sum,sm__ops_path_tensor_src_bf16_dst_fp32.sum,sm__ops_path_tensor_src_fp8_dst_fp32_sparsity_off.sum,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum --log-file'
check "$all" GPU_TEST_STATUS=1
expect 1 'GPU tests failed'
check "$all" SANITIZER_FAILS=racecheck
expect 1 'compute-sanitizer racecheck found errors'
check "$all" NCU_REFUSES=1
expect 1 'ncu may not read the GPU'
if ! [ -x /usr/local/cuda/bin/ncu ] && ! [ -x /usr/local/cuda/bin/compute-sanitizer ]; then
  check "$scratch/bare"
  expect 0 'ncu is not on PATH'
  expect 0 'compute-sanitizer is not on PATH'
fi

# For real. On a machine with a GPU this is what a person runs, not this test.
sh "$script" "$scratch/bare" >"$scratch/out" 2>&1
status=$?
expect 1 'cuda_gpu_test is not in'
if ! [ -x "$1/cuda_gpu_test" ]; then
  printf 'FAILED: no cuda_gpu_test in %s\n' "$1"
  wrong=1
elif "$1/cuda_gpu_test" --test-case='the device knows itself' | grep -q '^skipped: '; then
  sh "$script" "$1" >"$scratch/out" 2>&1
  status=$?
  expect 1 'gpu-check: nothing could be checked: no CUDA device: '
fi
exit "$wrong"
