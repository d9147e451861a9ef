#!/bin/sh
# page_browser_test.sh PROGRAM RECORDINGS: pages of HTML in a real browser, under a pointer. Without Chromium they are
# skipped (77).
set -eu
program=$1 recordings=$2
for name in chromium chromium-browser google-chrome; do
  browser=$(command -v "$name") && break
done
[ -n "${browser:-}" ] || { echo "no Chromium here: the pages were not tried in a browser"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Hover, zoom, move, isolate, sort: each leaves a word where it did what it should.
cat >"$folder/probe" <<'PROBE'
<script>
setTimeout(() => {
  const did = [], group = groups.find(one => one.all.size > 1), chart = group.charts.find(one => one.figure.series[0].line);
  const series = chart.figure.series[0], svg = chart.svg;
  svg.setPointerCapture = () => {};  // knows no pointer that a script made up
  const at = (x, y) => {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    return {clientX: box.left + x * scale, clientY: box.top + y * scale, bubbles: true, cancelable: true};
  };
  const pointer = (kind, x, y) => svg.dispatchEvent(new PointerEvent(kind, at(x, y)));
  const wheel = () => svg.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, ...at(chart.left + 9, chart.top + 9)}));
  const wide = () => chart.x[1] - chart.x[0], whole = wide();
  pointer('pointermove', chart.px(series.x[2]), chart.py(series.y[2]));
  if (!tip.hidden && tip.textContent.includes(series.name)) did.push('hover');
  if (group.charts.filter(one => one.halo.childNodes.length).length > 1) did.push('linked');
  if (groups.every(one => one === group || one.charts.every(other => !other.halo.childNodes.length))) did.push('alone');
  wheel();
  if (wide() === whole) did.push('scroll');
  pointer('pointerdown', chart.left + 9, chart.top + 9);
  pointer('pointermove', chart.left + 49, chart.top + 9);
  pointer('pointerup', chart.left + 49, chart.top + 9);
  if (chart.x[0] < Math.log10(chart.figure.x.low) && Math.abs(wide() - whole) < 1e-9) did.push('move');
  wheel();
  if (wide() < whole && !chart.all.hidden) did.push('zoom');
  chart.all.click();
  if (wide() === whole && chart.all.hidden) did.push('all');
  wheel();
  svg.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}));
  if (wide() === whole) did.push('reset');
  const keys = () => group.strip.querySelectorAll('.key'), isolate = () => keys()[1].dispatchEvent(new MouseEvent('click', {shiftKey: true, bubbles: true}));
  isolate();
  if (group.hidden.size === keys().length - 1) did.push('isolate');
  isolate();
  if (group.hidden.size === 0) did.push('whole');
  keys()[0].click();
  if (group.hidden.size === 1 && groups.every(one => one === group || !one.hidden.size)) did.push('hide');
  const cells = () => [...document.querySelectorAll('#table tbody tr')].map(row => row.cells[6].textContent);
  document.querySelectorAll('.sort')[6].click();
  const up = cells().map(Number);
  if (up.length > 9 && up.every((value, i) => i === 0 || value >= up[i - 1])) did.push('sort');
  if (document.documentElement.scrollWidth <= innerWidth) did.push('fits');
  if (!document.body.innerText.includes('<svg')) did.push('drawn');
  document.body.dataset.did = did.join(' ');
}, 300);
</script>
PROBE
expected='data-did="hover linked alone scroll move zoom all reset isolate whole hide sort fits drawn"'

# try PAGE WIDTH
try() {
  cat "$folder/probe" >>"$1"
  "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --enable-logging=stderr \
    --window-size="$2",1400 --virtual-time-budget=5000 --dump-dom "file://$1" >"$folder/dom" 2>"$folder/said"
  grep -qF "$expected" "$folder/dom" || {
    echo "$1: expected $expected, got: $(grep -o 'data-did="[^"]*"' "$folder/dom" || echo nothing)"
    exit 1
  }
  if grep 'CONSOLE' "$folder/said"; then
    echo "$1: the console of the browser has messages"
    exit 1
  fi
}

"$program" plot "$recordings/h200.json" -o "$folder/page.html" 2>/dev/null
try "$folder/page.html" 1280
"$program" tour "$recordings/h200-lab-fma.json" -o "$folder/tour.html" 2>/dev/null
try "$folder/tour.html" 600
