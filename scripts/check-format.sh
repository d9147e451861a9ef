#!/bin/sh
# Prints each C++ and CUDA file that clang-format would change, and exits 1 if there is one. This changes them:
#   sh scripts/check-format.sh | xargs clang-format-14 -i
# Other major versions of clang-format break lines elsewhere: without version 14 it says so and exits 2.
set -eu
cd "$(dirname -- "$0")/.."

format=
for name in clang-format-14 clang-format; do
  case $("$name" --version 2>/dev/null) in
    *'version 14.'*) format=$name && break ;;
  esac
done
[ -n "$format" ] || {
  echo "check-format: clang-format 14 is missing. On Debian 12: apt-get install clang-format-14" >&2
  exit 2
}

# A copy without git has no files of others in these folders.
listed=$(git ls-files -- '*.cpp' '*.hpp' '*.cu' '*.cuh' 2>/dev/null) ||
  listed=$(find app cmake engine kernels tests ui -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh')
sources=$(for file in $listed; do [ ! -e "$file" ] || echo "$file"; done)
# A dry run prints "FILE:LINE:COLUMN: warning: ..." for each difference, and fails only if it cannot read a file.
warnings=$(printf '%s\n' "$sources" | xargs "$format" --dry-run 2>&1) || {
  printf '%s\n' "$warnings" >&2
  exit 2
}
files=$(printf '%s\n' "$warnings" | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: .*/\1/p' | LC_ALL=C sort -u)
[ -n "$files" ] || exit 0
printf '%s\n' "$files"
echo "check-format: clang-format would change these files" >&2
exit 1
