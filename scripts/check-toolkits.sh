#!/bin/sh
# Compiles the CUDA backend with other toolkits than the one installed: every kernel's device code with the NVRTC of each
# version, for each architecture that a build with it holds, and host code against its headers. All come from PyPI into a
# scratch folder. Prints a table; exit status 1 where anything failed.
#   sh scripts/check-toolkits.sh [-d FOLDER] [-t cuda_instructions_test] [-g cuda_library_test] [-f "families/chain/chain ..."] [VERSION...]
#     -d FOLDER   keep downloads and machine code there, and use what is there already
#     -t PROGRAM  run this test on the machine code, too: the counts of instructions must hold for every compiler
#     -g PROGRAM  compile generated chains with this test, too, as the program does at run time
#     -f FILES    only these files of kernels, as families/stream/stream
#     VERSION     12.4 12.8 12.9 13.0
# Needs python3 with venv, g++, cmake, unzip and what scripts/test.sh built (build/local); 100 MB for each version, and some
# minutes for each architecture.
set -u
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
sources=$root/kernels
made=${RIDGEPOINT_BUILD:-$root/build/local}/generated # the list of families
. "$root/scripts/toolkits/log.sh"
folder= test= generated= files=
while getopts d:t:g:f: option; do
  case $option in
    d) folder=$OPTARG ;;
    t) test=$OPTARG ;;
    g) generated=$OPTARG ;;
    f) files=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 12.4 12.8 12.9 13.0
if [ -z "$folder" ]; then
  folder=$(mktemp -d) || exit 1
  trap 'rm -rf "$folder"' EXIT
fi
trap 'exit 130' INT TERM
mkdir -p "$folder"
[ -e "$made/kernels/family_handle.hpp" ] || { printf 'check-toolkits: %s has no list of families: run scripts/test.sh first\n' "$made" >&2; exit 1; }
[ -n "$files" ] || files=$(cd "$sources" && ls cuda/*/*.cu families/*/*.cu | sed 's|\.cu$||')
say() { printf 'check-toolkits: %s\n' "$*" >&2; }

# fetch VERSION: the wheels of a toolkit, unpacked into $folder/VERSION.
fetch() {
  [ -e "$folder/$1/fetched" ] && return
  say "fetching CUDA $1 from PyPI"
  [ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv" || return 1
  case $1 in
    12.*) wheels="nvidia-cuda-nvrtc-cu12==$1.* nvidia-cuda-runtime-cu12==$1.* nvidia-cuda-nvcc-cu12==$1.*" ;;
    *) wheels="nvidia-cuda-nvrtc==$1.* nvidia-cuda-runtime==$1.* nvidia-cuda-crt==$1.*" ;;
  esac
  mkdir -p "$folder/$1/wheels"
  # shellcheck disable=SC2086
  "$folder/venv/bin/pip" -q --disable-pip-version-check download --no-deps -d "$folder/$1/wheels" $wheels || return 1
  for wheel in "$folder/$1/wheels"/*.whl; do unzip -qo "$wheel" -d "$folder/$1" || return 1; done
  touch "$folder/$1/fetched"
}

# What a build with this toolkit holds machine code for.
architectures() {
  printf 'include(%s/cmake/CudaToolkit.cmake)\nridgepoint_cuda_architectures(%s list)\nmessage("${list}")\n' \
    "$root" "$1" >"$folder/list.cmake"
  cmake -P "$folder/list.cmake" 2>&1 | sed 's/-real//g' | tr ';' ' '
}

# device_code VERSION ARCHITECTURE: adds to $compiled and $failures.
device_code() {
  out=$folder/$1/cubins
  mkdir -p "$out"
  for file in $files; do
    to=$2
    if [ "$file" = cuda/kernels/wgmma ]; then
      [ "$2" = 90 ] || continue
      to=90a
    fi
    compile "$1" "$to" "$sources/$file.cu"
  done
  # What the checks of spilling and serialization must find.
  if [ -n "$test" ]; then
    compile "$1" "$2" "$root/tests/cuda/machine_code/spilling.cu"
    [ "$2" = 90 ] && compile "$1" 90a "$root/tests/cuda/machine_code/serialized.cu"
  fi
}

compile() {
  name=$(basename "$3" .cu)
  cubin=$out/$name.sm_$2.cubin
  say "CUDA $1, $2: $name"
  # shellcheck disable=SC2086
  if python3 "$root/scripts/toolkits/nvrtc.py" "$nvrtc" "$2" "$3" "$cubin" -I"$root" -I"$made" $includes >"$folder/messages"; then
    compiled=$((compiled + 1))
  else
    failures="$failures $name:$2"
    cat "$folder/messages" >&2
    return
  fi
  [ "$name" = spilling ] || [ "$name" = serialized ] && return
  for flaw in $(flaws_of "$cubin.log"); do failures="$failures $name:$2:$flaw"; done
}

# host_code VERSION: every file of the host side, against the headers of the toolkit.
host_code() {
  for file in "$sources"/cuda/*/*.cpp "$sources"/families/*/*_on_gpu.cpp; do
    case $file in */none.cpp | */built_code.cpp) continue ;; esac # what CMake tells them
    # shellcheck disable=SC2086
    if g++ -std=c++20 -fsyntax-only -I"$root" -I"$made" $(printf '%s' "$includes" | sed 's/-I/-isystem /g') "$file"; then
      compiled=$((compiled + 1))
    else
      failures="$failures $(basename "$file")"
    fi
  done
}

status=0
table=$(printf '%-8s  %-30s  %8s  %s' toolkit 'architectures' 'compiled' 'failures')
for version in "$@"; do
  fetch "$version" || { say "CUDA $version could not be fetched"; status=1; continue; }
  nvrtc=$(find "$folder/$version" -name 'libnvrtc.so.*' | head -n 1)
  includes=$(find "$folder/$version" -type d -name include | sed 's/^/-I/' | tr '\n' ' ')
  list=$(architectures "$version")
  compiled=0 failures=
  host_code "$version"
  for architecture in $list; do device_code "$version" "$architecture"; done
  if [ -n "$test" ]; then
    RIDGEPOINT_CUBINS=$folder/$version/cubins RIDGEPOINT_CUBIN_ARCHITECTURES=$list "$test" >"$folder/$version/test.log" ||
      { failures="$failures instructions"; cat "$folder/$version/test.log" >&2; }
  fi
  if [ -n "$generated" ]; then
    say "CUDA $version: generated chains"
    RIDGEPOINT_CUDA_LIBRARIES=$(dirname "$nvrtc") RIDGEPOINT_CUBIN_ARCHITECTURES=$list "$generated" -s -tc='NVRTC*' \
      >"$folder/$version/generated.log" &&
      grep -qF "$nvrtc" "$folder/$version/generated.log" ||
      { failures="$failures generated"; cat "$folder/$version/generated.log" >&2; }
  fi
  [ -n "$failures" ] && status=1
  table=$(printf '%s\n%-8s  %-30s  %8d  %s' "$table" "$version" "$list" "$compiled" "${failures:-none}")
done
printf '%s\n' "$table"
exit "$status"
