#!/bin/sh
# What is carried to a machine with a GPU needs no library there that is not on every machine.
#   sh carried_libraries_test.sh PROGRAM...
wrong=0
for program in "$@"; do
  needed=$(ldd "$program" | awk '$1 !~ /^(linux-vdso|\/lib.*\/ld-linux|lib(c|m|stdc\+\+|gcc_s)\.so)/ { print $1 }')
  if [ -n "$needed" ] || ! ldd "$program" | grep -q 'libc\.so'; then
    printf 'FAILED: %s needs: %s\n' "$program" "$(echo "$needed" | paste -s -d ' ' -)"
    wrong=1
  fi
done
exit "$wrong"
