# Sourced by the other scripts and .ci/run: installs missing packages, configures. POSIX sh.
#   ensure_packages PACKAGE...   installs what is missing on Debian and Ubuntu; elsewhere says what is needed
#   choose_faults                which faults of the CUDA runtime this commit tries
#   configure                    CMake into $build, CUDA code for the GPUs of this machine only; several files are compiled
#                                at a time, which is faster for all of them and slower for one

root=${root:-$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)}
build=${RIDGEPOINT_BUILD:-$root/build/local}

headless_packages="g++ cmake ninja-build pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev libcairo2-dev libmd-dev"
build_packages="$headless_packages
  libimgui-dev libglfw3-dev libgl-dev libgl1-mesa-dri python3-glad libfreetype-dev libstb-dev libfontconfig-dev
  fonts-dejavu-core libsleef3"
test_packages="doctest-dev binutils xvfb xdotool libx11-dev qemu-user"

# ccache where it is: one cache for every checkout. With precompiled headers it has to be told what to overlook.
launchers=
if command -v ccache >/dev/null 2>&1; then
  launchers=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
fi

# Faults of the CUDA runtime take longest of all tests: each commit tries another eighth of them. RIDGEPOINT_FAULTS=0/1
# tries all.
choose_faults() {
  commit=$(git -C "$root" rev-parse --short=7 HEAD 2>/dev/null) || commit=0
  export RIDGEPOINT_FAULTS="${RIDGEPOINT_FAULTS:-$((0x$commit % 8))/8}"
}

say() { printf '%s\n' "$*" >&2; }

ensure_packages() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    say "ridgepoint: this is no Debian or Ubuntu, so nothing is installed for you. Needed: a C++20 compiler,"
    say "CMake >= 3.25, Ninja, pkg-config, fmt, nlohmann-json, CLI11, libmd, Cairo, Dear ImGui (with its GLFW and OpenGL 3"
    say "backends), GLFW 3.3, glad 2, freetype, fontconfig, DejaVu fonts, SLEEF; for the tests doctest, Xvfb, xdotool and Xlib;"
    say "for .ci/run clang-format 14, and Clang 16 with its sanitizers and llvm-symbolizer."
    return 0
  fi
  missing=
  for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
      *"ok installed") ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0
  say "ridgepoint: installing these packages:$missing"
  as_root=
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      say "ridgepoint: cannot install without root or sudo; run as root: apt-get install$missing"
      return 1
    fi
    as_root=sudo
  fi
  install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
  # A machine whose package lists are fresh needs no update; one without lists fails the first try at once.
  $install $missing >/dev/null 2>&1 || { $as_root apt-get update -qq >&2 && $install $missing >&2; } || {
    say "ridgepoint: apt-get could not install$missing; its message is above"
    return 1
  }
}

# The nvcc that the build takes: the one it took before, or the one that CMake finds.
nvcc_of_build() {
  before=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=\(.*nvcc.*\)/-DCMAKE_CUDA_COMPILER=\1/p' "$build/CMakeCache.txt" 2>/dev/null)
  cmake ${before:+"$before"} -P "$root/cmake/PrintNvcc.cmake" 2>/dev/null
}

# Real code for the GPUs that are here; one architecture where there is none, so that a first build stays quick. A GPU
# that is older than what kernels and toolkit support is left out with a sentence; one that is newer gets the
# toolkit's newest code, which the driver translates.
cuda_architectures() {
  caps=
  if command -v nvidia-smi >/dev/null 2>&1; then
    nvcc=$(nvcc_of_build)
    known=$("${nvcc:-nvcc}" --list-gpu-code 2>/dev/null | sed -n 's/^sm_\([0-9]*\)$/\1/p' | paste -s -d ' ' -)
    caps=$(nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader 2>/dev/null | awk -F ', *' -v known="$known" '
      BEGIN { count = split(known, list, " ") }
      $NF !~ /^[0-9]+\.[0-9]+ *$/ { next }
      {
        cap = $NF; gsub(/[. ]/, "", cap); cap += 0
        best = count == 0 ? cap : 0
        for (i = 1; i <= count; ++i) if (list[i] + 0 <= cap && list[i] + 0 > best) best = list[i] + 0
        if (cap < 75 || best < 75) {
          printf "ridgepoint: %s (compute capability %s) is left out: this CUDA Toolkit and the kernels need %s\n",
            $1, $NF, "7.5 or newer" >"/dev/stderr"
          next
        }
        print best (best == cap ? "-real" : "-virtual")
      }' | sort -u | paste -s -d ';' -)
  fi
  printf '%s' "${caps:-90-real}"
}

configure() {
  [ -x /usr/local/cuda/bin/nvcc ] && PATH=$PATH:/usr/local/cuda/bin
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CUDA_ARCHITECTURES="$(cuda_architectures)" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 \
    $launchers "$@" >"$build.log" 2>&1 || {
    cat "$build.log" >&2
    say "ridgepoint: configuring failed; the message is above"
    return 1
  }
}
