#!/bin/sh
# The pictures of the gallery, from session files:
#   sh scripts/gallery.sh [-b BUILD] [-o FOLDER] [SESSION.json ...]
# One picture per panel and preset of each session. Where BUILD has window_gallery (cmake --build BUILD --target window_gallery)
# also the window in all its states with the first sweep and the first session whose name has "roofs" in it, the window with the
# first sweep of a CPU, and with each session that has "-lab-" in its name.
# Without a session it takes those of assets/recordings, the H200 first; without -o, the folder "gallery".
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/local
folder=gallery

usage() {
  echo "usage: sh scripts/gallery.sh [-b BUILD] [-o FOLDER] [SESSION.json ...]" >&2
  exit 2
}

while getopts b:o: option; do
  case $option in
    b) build=$OPTARG ;;
    o) folder=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -eq 0 ]; then
  set -- "$root"/assets/recordings/h200*.json
  for session in "$root"/assets/recordings/*.json; do
    case $session in
      */h200*) ;;
      *) set -- "$@" "$session" ;;
    esac
  done
  [ -e "$1" ] || { echo "gallery.sh: name a session file: there is none in assets/recordings" >&2; exit 2; }
fi
program=$build/app/ridgepoint
[ -x "$program" ] || { echo "gallery.sh: there is no $program: build it, or name another build with -b" >&2; exit 1; }
# The window's command for a point then begins as that of an installed program does.
PATH=$(cd "$build/app" && pwd):$PATH
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

count=0
sweep='' roofs='' labs='' cpu=''
for session; do
  name=$(basename "$session" .json)
  case $name in
    *-lab-*) labs="$labs $(realpath "$session")" panels=all ;;
    *roofs*) roofs=${roofs:-$(realpath "$session")} panels='roofline levels all' ;;
    *-tile) panels='roofline flops speedup all' ;;
    *)
      sweep=${sweep:-$(realpath "$session")} panels='roofline runtime flops bandwidth speedup all'
      if grep -q '"device": {"id":"cpu"' "$session"; then cpu=${cpu:-$(realpath "$session")}; fi
      ;;
  esac
  for preset in web slide paper paper-wide; do
    for panel in $panels; do
      "$program" plot "$session" -o "$folder/$name-$preset-$panel.png" --preset $preset --panel $panel
      count=$((count + 1))
    done
  done
  "$program" plot "$session" -o "$folder/$name-bw.png" --preset paper-wide --theme bw
  "$program" plot "$session" -o "$folder/$name-dark.png" --preset slide --theme dark
  count=$((count + 2))
done
echo "$count pictures in $folder"

window=$build/tests/window/window_gallery
if [ -x "$window" ] && [ -n "$sweep" ]; then
  RIDGEPOINT_GALLERY=$folder RIDGEPOINT_GALLERY_SWEEP=$sweep RIDGEPOINT_GALLERY_ROOFS=${roofs:-$sweep} \
    RIDGEPOINT_GALLERY_LABS=$labs RIDGEPOINT_GALLERY_CPU=${cpu:-$sweep} "$window"
fi
