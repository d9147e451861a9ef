#!/bin/sh
# What scripts/check-toolkits.sh reads in the log of a compiler.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
. "$here/../../scripts/toolkits/log.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
wrong=0

# expect WORDS SENTENCE: of the log on stdin.
expect() {
  cat >"$scratch/log"
  got=$(flaws_of "$scratch/log" 2>"$scratch/said" | paste -s -d ' ' -)
  said=$(cat "$scratch/said")
  case $said in
    *"$2"*) ;;
    *) got="$got, another sentence" ;;
  esac
  if [ "$got" != "$1" ]; then
    printf 'FAILED: expected "%s" and "%s", got "%s" and "%s"\n' "$1" "$2" "$got" "$said"
    wrong=1
  fi
}
spills_nothing='    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'
expect '' '' <<EOF
ptxas info    : Function properties for chain_kernel
$spills_nothing
EOF
expect spills '' <<EOF
$spills_nothing
    256 bytes stack frame, 100 bytes spill stores, 100 bytes spill loads
EOF
expect serialized '' <<EOF
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
$spills_nothing
EOF
expect spills-unknown 'says nothing of spilled registers' <<EOF
ptxas info    : 0 bytes gmem
EOF
expect spills-unknown 'says nothing of spilled registers' </dev/null
exit "$wrong"
