# Sourced by check-toolkits.sh and its test.
#   flaws_of LOG   what is wrong by the log of ptxas -v, in one word; nothing where all is right. A log that says
#                  nothing of spills proves nothing.
flaws_of() {
  if grep -q serialized "$1"; then echo serialized; fi
  if ! grep -q 'bytes spill' "$1"; then
    printf 'check-toolkits: %s says nothing of spilled registers, so nothing is known of them\n' "$1" >&2
    echo spills-unknown
  elif grep -E 'bytes spill' "$1" | grep -qv ' 0 bytes spill stores, 0 bytes spill loads'; then
    echo spills
  fi
}
