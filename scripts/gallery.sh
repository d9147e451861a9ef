#!/bin/sh
# One picture per panel and preset of session files:
#   sh scripts/gallery.sh [-b BUILD] [-o FOLDER] [SESSION.json ...]
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
mkdir -p "$folder"

count=0
for session; do
  name=$(basename "$session" .json)
  for preset in web slide paper paper-wide; do
    for panel in roofline runtime flops bandwidth levels all; do
      # What has no level curve has no such panel either.
      if [ $panel = levels ] && ! grep -q '"experiment": *"roofs"' "$session"; then continue; fi
      "$program" plot "$session" -o "$folder/$name-$preset-$panel.png" --preset $preset --panel $panel
      count=$((count + 1))
    done
  done
  "$program" plot "$session" -o "$folder/$name-bw.png" --preset paper-wide --theme bw
  "$program" plot "$session" -o "$folder/$name-dark.png" --preset slide --theme dark
  count=$((count + 2))
done
echo "$count pictures in $folder"
