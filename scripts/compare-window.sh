#!/bin/sh
# Does the window disturb what it measures? The same sweep in the window and headless, alternating, and the difference
# point by point.
#   sh scripts/compare-window.sh [ROUNDS [DEVICE]]     3 rounds on the cpu unless told otherwise
# Without a display it brings one of its own (Xvfb). RIDGEPOINT names the binary, else the one that run.sh builds.
set -eu
. "$(dirname -- "$0")/setup.sh"
rounds=${1:-3}
device=${2:-cpu}
ridgepoint=${RIDGEPOINT:-$build/app/ridgepoint}
for tool in xdotool python3; do
  command -v "$tool" >/dev/null || { say "compare-window: $tool is missing: apt-get install $tool"; exit 1; }
done
[ -x "$ridgepoint" ] || { say "compare-window: $ridgepoint is not there: run scripts/run.sh first"; exit 1; }

work=$(mktemp -d)
screen= window=
cleanup() {
  [ -z "$window" ] || kill "$window" 2>/dev/null || true
  [ -z "$screen" ] || kill "$screen" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# Xvfb writes the number of the display that it found free.
if [ -z "${DISPLAY:-}" ]; then
  command -v Xvfb >/dev/null || { say "compare-window: no display, and no Xvfb: apt-get install xvfb"; exit 1; }
  Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
  screen=$!
  while [ ! -s "$work/display" ]; do sleep 0.1; done
  DISPLAY=:$(cat "$work/display")
  export DISPLAY
fi

mkdir -p "$work/config/ridgepoint"
cat >"$work/config/ridgepoint/settings.json" <<SETTINGS
{"format": "ridgepoint-settings", "version": 1,
 "spec": {"device": "$device", "dtype": "fp32", "fusion": "both", "repeat": "1:1024:x2"},
 "x": "repeat", "cursor": 32, "width": 1280, "height": 800, "folder": "", "measure_on_start": true}
SETTINGS

headless() {
  "$ridgepoint" sweep --device "$device" --dtype fp32 --fusion both --repeat 1:1024:x2 -o "$1" >/dev/null 2>&1 || {
    say "compare-window: the headless sweep failed: $ridgepoint sweep --device $device"
    exit 1
  }
}

# What the window's map says: state NAME, or the middle of a control.
map() {
  python3 - "$work/map.json" "$@" <<'PYTHON'
import json, sys
try:
    window_map = json.load(open(sys.argv[1]))
except (OSError, ValueError):
    sys.exit(0)
print(json.dumps(window_map["state"][sys.argv[2]]))
PYTHON
}

# Seconds of patience, then the state and the value to wait for.
wait_for() {
  tries=$(($1 * 5))
  while [ "$(map "$2")" != "$3" ]; do
    kill -0 "$window" 2>/dev/null || { say "compare-window: the window ended: $(cat "$work/window.err")"; exit 1; }
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { say "compare-window: the window did not come to $2 = $3"; exit 1; }
    sleep 0.2
  done
}

# It sweeps at its start; then its session is saved as a user would, with Ctrl+S.
in_window() {
  rm -f "$work/map.json"
  XDG_CONFIG_HOME=$work/config RIDGEPOINT_UI_MAP=$work/map.json "$ridgepoint" 2>"$work/window.err" &
  window=$!
  wait_for 30 sweep true
  wait_for 300 sweep false
  xdotool mousemove 640 5
  xdotool key ctrl+s
  while [ "$(map dialog)" = null ]; do sleep 0.2; done
  xdotool type --delay 5 "$1"
  sleep 0.5
  xdotool key Return
  while [ ! -s "$1" ]; do
    kill -0 "$window" 2>/dev/null || { say "compare-window: the window ended before it had saved"; exit 1; }
    sleep 0.2
  done
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
