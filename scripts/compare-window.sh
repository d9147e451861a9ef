#!/bin/sh
# Does the window disturb what it measures? The same sweep in the window and headless, alternating, and the difference
# point by point.
#   sh scripts/compare-window.sh [ROUNDS [DEVICE]]     3 rounds on the cpu unless told otherwise
# On a display of its own (Xvfb), so that no key that it types reaches another window. RIDGEPOINT names the binary, else
# the one that run.sh builds. What the script itself takes of the CPU, a grep every two seconds, it takes on both sides;
# the file in which the window tells its state is written with every frame and counts as the window's.
set -eu
. "$(dirname -- "$0")/setup.sh"
rounds=${1:-3}
device=${2:-cpu}
ridgepoint=${RIDGEPOINT:-$build/app/ridgepoint}
fail() { say "compare-window: $*"; exit 1; }
for tool in Xvfb xdotool python3; do
  command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install $(echo "$tool" | tr X x)"
done
[ -x "$ridgepoint" ] || fail "$ridgepoint is not there: run scripts/run.sh first"

work=$(mktemp -d)
screen= window=
cleanup() {
  for process in $window $screen; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# Seconds of patience between looks, then a file, a pattern to wait for in it, and the process that is to bring it.
wait_for() {
  left=$2
  until grep -q -- "$4" "$3" 2>/dev/null; do
    kill -0 "$5" 2>/dev/null || fail "the process that was to bring $4 has ended: $(cat "$work/errors")"
    [ "$left" -gt 0 ] || fail "waited in vain for $4"
    left=$((left - $1))
    sleep "$1"
  done
}

# Xvfb writes the number of the display that it found free.
: >"$work/errors"
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp -noreset 3>"$work/display" 2>"$work/errors" &
screen=$!
wait_for 1 30 "$work/display" '[0-9]' "$screen"
DISPLAY=:$(cat "$work/display")
export DISPLAY

mkdir -p "$work/config/ridgepoint"
cat >"$work/config/ridgepoint/settings.json" <<SETTINGS
{"format": "ridgepoint-settings", "version": 1,
 "spec": {"device": "$device", "dtype": "fp32", "fusion": "both", "repeat": "1:1024:x2"},
 "x": "repeat", "cursor": 32, "width": 1280, "height": 800, "folder": "", "measure_on_start": true}
SETTINGS

# Beside the headless sweep, the same looks at a file as beside the window.
headless() {
  : >"$work/polling"
  while [ -e "$work/polling" ]; do
    grep -q '"sweep": false' "$work/map.json" 2>/dev/null || true
    sleep 2
  done &
  "$ridgepoint" sweep --device "$device" --dtype fp32 --fusion both --repeat 1:1024:x2 -o "$1" >/dev/null 2>&1 ||
    fail "the headless sweep failed: $ridgepoint sweep --device $device"
  rm "$work/polling"
  wait $!
}

# It sweeps at its start; then its session is saved as a user would, with Ctrl+S.
in_window() {
  map=$work/map.json
  rm -f "$map"
  XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state RIDGEPOINT_UI_MAP=$map "$ridgepoint" 2>"$work/errors" &
  window=$!
  wait_for 2 60 "$map" '"sweep": true' "$window"
  wait_for 2 600 "$map" '"sweep": false' "$window"
  xdotool mousemove 640 5
  xdotool key ctrl+s
  wait_for 1 20 "$map" '"dialog": {' "$window"
  xdotool type --delay 5 "$1"
  wait_for 1 20 "$map" "\"path\": \"$1\"" "$window"
  xdotool key Return
  wait_for 1 20 "$map" '"dialog": null' "$window"
  [ -s "$1" ] || fail "the window saved no session"
  kill -TERM "$window"
  wait "$window" || true
  window=
}

round=1
while [ "$round" -le "$rounds" ]; do
  say "compare-window: round $round of $rounds"
  headless "$work/headless-$round.json"
  in_window "$work/window-$round.json"
  round=$((round + 1))
done

python3 - "$work" "$rounds" <<'PYTHON'
import json, statistics, sys
folder, rounds = sys.argv[1], int(sys.argv[2])

def seconds(kind):
    found = {}
    for number in range(1, rounds + 1):
        session = json.load(open(f"{folder}/{kind}-{number}.json"))
        for point in session["points"]:
            if point["status"] != "ok" or point["probe"] or point["experiment"] != "intensity":
                continue
            found.setdefault((point["fusion"], point["repeat"]), []).append(point["seconds"]["median"])
    return found, session["device"]["name"]

(headless, device), (window, _) = seconds("headless"), seconds("window")
both = [key for key in headless if key in window]
if not both:
    sys.exit("compare-window: no point was measured on both sides")
print(f"{device}, fp32 fma, {rounds} rounds in turn, medians; + : the window is slower\n")
print(f"{'series':8}  {'repeat':>6}  {'headless':>11}  {'window':>11}  {'difference':>10}")
differences = []
for fusion, repeat in both:
    a, b = (statistics.median(side[fusion, repeat]) for side in (headless, window))
    differences.append(b / a - 1)
    print(f"{fusion:8}  {repeat:6}  {a * 1e3:8.3f} ms  {b * 1e3:8.3f} ms  {100 * differences[-1]:+8.2f} %")
print(f"\nmedian of the differences {100 * statistics.median(differences):+.2f} %, "
      f"of their sizes {100 * statistics.median(map(abs, differences)):.2f} %, {len(both)} points")
PYTHON
