#!/bin/sh
# Installs what is missing, builds, starts Ridgepoint with the arguments given. Without a display: the main job headless.
set -eu
. "$(dirname -- "$0")/setup.sh"
ensure_packages $build_packages
mkdir -p "$build"
configure -DRIDGEPOINT_TESTS=OFF
say "ridgepoint: building, which takes some minutes the first time"
cmake --build "$build" --target ridgepoint >&2 || {  # Ninja counts its steps
  say "ridgepoint: the build failed; the message is above"
  exit 1
}
ridgepoint=$build/app/ridgepoint
if [ $# -gt 0 ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$ridgepoint" "$@"
fi
say "ridgepoint: no display, so here is the main job without a window"
session=ridgepoint-session.json
picture=ridgepoint.png
number=2
while [ -e "$session" ] || [ -e "$picture" ]; do  # earlier measurements stay
  session=ridgepoint-session-$number.json
  picture=ridgepoint-$number.png
  number=$((number + 1))
done
"$ridgepoint" sweep --fusion both -o "$session" --plot "$picture"
"$ridgepoint" explain "$session"
say "ridgepoint: wrote $session and $picture"
