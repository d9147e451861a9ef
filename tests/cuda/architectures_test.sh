#!/bin/sh
# Which architectures scripts/run.sh builds for, with stand-ins for nvidia-smi and nvcc: cuda_architectures of setup.sh.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=$here/../..
. "$root/scripts/setup.sh"
scratch=$(mktemp -d) || exit 1
build=$scratch/build
unset CUDA_HOME CUDA_PATH
named="export CUDACXX=$scratch/nvcc"
trap 'rm -rf "$scratch"' EXIT
wrong=0

stand_in() {
  { printf '#!/bin/sh\n'; cat; } >"$scratch/$1"
  chmod +x "$scratch/$1"
}
# expect ARCHITECTURES MESSAGE GPU...: what nvidia-smi lists, what is built, and what is said of those left out.
expect() {
  wanted=$1 message=$2
  shift 2
  printf '%s\n' "$@" >"$scratch/gpus"
  got=$(PATH=$scratch:$PATH && export PATH && $named && cuda_architectures 2>"$scratch/said")
  said=$(cat "$scratch/said")
  case $said in
    *"$message") ;;
    *) got="$got, another message" ;;
  esac
  if [ "$got" != "$wanted" ] || { [ -z "$message" ] && [ -n "$said" ]; }; then
    printf 'FAILED: %s: expected "%s" and "%s", got "%s" and "%s"\n' "$*" "$wanted" "$message" "$got" "$said"
    wrong=1
  fi
}

stand_in nvidia-smi <<EOF
case \$1 in
  --query-gpu=name,compute_cap) cat "$scratch/gpus" ;;
  --query-gpu=compute_cap) sed 's/.*, //' "$scratch/gpus" ;;
esac
EOF
stand_in nvcc <<'EOF'
[ "$1" = --list-gpu-code ] && printf 'sm_%s\n' 75 80 86 89 90 100 120
EOF
expect '90-real' '' 'NVIDIA H200, 9.0' 'NVIDIA H200, 9.0'
expect '86-real;90-real' '' 'NVIDIA H200, 9.0' 'NVIDIA RTX A2000, 8.6'
left_out='is left out: this CUDA Toolkit and the kernels need 7.5 or newer'
expect '90-real' "ridgepoint: Tesla V100-SXM2-16GB (compute capability 7.0) $left_out" \
  'Tesla V100-SXM2-16GB, 7.0' 'NVIDIA H200, 9.0'
expect '75-real' "ridgepoint: Quadro K620 (compute capability 5.0) $left_out" 'Quadro K620, 5.0' 'Tesla T4, 7.5'
# Alone it changes nothing: one architecture is built, and `ridgepoint devices` says why the GPU cannot be measured.
expect '90-real' "ridgepoint: Tesla V100-PCIE-16GB (compute capability 7.0) $left_out" 'Tesla V100-PCIE-16GB, 7.0'
# Newer than the toolkit knows: its newest code below, for the driver to translate.
expect '100-virtual' '' 'NVIDIA B300 SXM6 AC, 10.3'
expect '90-real' '' 'No devices were found'
expect '90-real' '' 'Quadro 410, [N/A]'
stand_in nvcc <<'EOF'
exit 1
EOF
expect '103-real' '' 'NVIDIA B300 SXM6 AC, 10.3'
expect '90-real' "$left_out" 'Tesla V100-SXM2-16GB, 7.0' 'NVIDIA H200, 9.0'

# The nvcc that is asked is the one that CMake takes: that of CUDA_HOME before that of PATH, and the one that the build
# took before ahead of both.
unset CUDACXX
stand_in nvcc <<'EOF'
[ "$1" = --list-gpu-code ] && printf 'sm_%s\n' 75 80
EOF
mkdir -p "$scratch/home/bin" "$scratch/build/bin"
stand_in home/bin/nvcc <<'EOF'
[ "$1" = --list-gpu-code ] && printf 'sm_%s\n' 75 80 86
EOF
stand_in build/bin/nvcc <<'EOF'
[ "$1" = --list-gpu-code ] && printf 'sm_%s\n' 75 80 86 89
EOF
named=true
expect '80-virtual' '' 'NVIDIA L4, 8.9'
named="export CUDA_HOME=$scratch/home"
expect '86-virtual' '' 'NVIDIA L4, 8.9'
printf 'CMAKE_CUDA_COMPILER:FILEPATH=%s\n' "$scratch/build/bin/nvcc" >"$scratch/build/CMakeCache.txt"
expect '89-real' '' 'NVIDIA L4, 8.9'
exit "$wrong"
