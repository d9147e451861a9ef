#!/bin/sh
# scripts/compare-window.sh with stand-ins for the program: whatever the window does, the script ends and says why.
# 77, which CTest counts as skipped, where there is no screen.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
for tool in Xvfb xdotool python3; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed here"; exit 77; }
done
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
wrong=0

# expect_refusal TEXT COMMANDS: with a program whose window does these commands and whose sweeps succeed.
expect_refusal() {
  printf '#!/bin/sh\n[ "${1:-}" != sweep ] || exit 0\n%s\n' "$2" >"$scratch/ridgepoint"
  chmod +x "$scratch/ridgepoint"
  RIDGEPOINT=$scratch/ridgepoint sh "$here/../../scripts/compare-window.sh" 1 >"$scratch/out" 2>&1
  status=$?
  if [ "$status" -ne 1 ] || ! grep -qF -- "$1" "$scratch/out"; then
    printf 'FAILED: expected status 1 and "%s", got status %s and\n' "$1" "$status"
    cat "$scratch/out"
    wrong=1
  fi
}

expect_refusal 'has ended: no OpenGL here' 'echo no OpenGL here >&2; exit 1'
expect_refusal 'to bring "sweep": false has ended' 'echo "{\"sweep\": true}" >"$RIDGEPOINT_UI_MAP"; exec sleep 3'
# A window that ends its sweep, and never opens the dialog: the map stays, and the script does not wait for ever.
expect_refusal 'waited in vain for "dialog": {' \
  'printf "{\"sweep\": true}\n{\"sweep\": false, \"dialog\": null}\n" >"$RIDGEPOINT_UI_MAP"; exec sleep 600'
expect_refusal 'to bring "dialog": { has ended' \
  'printf "{\"sweep\": true}\n{\"sweep\": false, \"dialog\": null}\n" >"$RIDGEPOINT_UI_MAP"; exec sleep 2'
exit "$wrong"
