#!/bin/sh
# The pictures of the gallery, from session files:
#   sh scripts/gallery.sh [-b BUILD] [-o FOLDER] [SESSION.json ...]
# One picture per panel and preset of each session; of a session whose name has "roofs" in it, of each with
# "-lab-" in it, and of the first other one, also the window in all its states where BUILD has window_gallery (cmake --build BUILD --target window_gallery).
# Without a session it takes those of assets/recordings; without -o, the folder "gallery".
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
  set -- "$root"/assets/recordings/*.json
  [ -e "$1" ] || { echo "gallery.sh: name a session file: there is none in assets/recordings" >&2; exit 2; }
fi
program=$build/app/ridgepoint
[ -x "$program" ] || { echo "gallery.sh: there is no $program: build it, or name another build with -b" >&2; exit 1; }
# The window's command for a point then begins as that of an installed program does.
PATH=$(cd "$build/app" && pwd):$PATH
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

count=0
sweep='' roofs='' labs=''
for session; do
  name=$(basename "$session" .json)
  case $name in
    *-lab-*) labs="$labs $(realpath "$session")" panels=all ;;
    *roofs*) roofs=${roofs:-$(realpath "$session")} panels='roofline levels all' ;;
    *) sweep=${sweep:-$(realpath "$session")} panels='roofline runtime flops bandwidth speedup all' ;;
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
    RIDGEPOINT_GALLERY_LABS=$labs "$window"
fi
