#!/bin/sh
# page_browser_test.sh PROGRAM RECORDING: a page of HTML in a real browser, under a pointer. Without Chromium it is
# skipped (77).
set -eu
program=$1 recording=$2
for name in chromium chromium-browser google-chrome; do
  browser=$(command -v "$name") && break
done
[ -n "${browser:-}" ] || { echo "no Chromium here: the page was not tried in a browser"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" plot "$recording" -o "$folder/page.html" 2>/dev/null

# Hover, zoom, isolate, sort: each leaves a word where it did what it should.
cat >>"$folder/page.html" <<'PROBE'
<script>
setTimeout(() => {
  const did = [], chart = charts[1], series = chart.figure.series[0];
  const at = (x, y) => {
    const box = chart.svg.getBoundingClientRect(), scale = box.width / chart.svg.viewBox.baseVal.width;
    return {clientX: box.left + x * scale, clientY: box.top + y * scale, bubbles: true, cancelable: true};
  };
  chart.svg.dispatchEvent(new PointerEvent('pointermove', at(chart.px(series.x[2]), chart.py(series.y[2]))));
  if (!tip.hidden && tip.textContent.includes(series.name)) did.push('hover');
  if (charts.filter(one => one.halo.childNodes.length).length > 1) did.push('linked');
  const before = chart.x[1] - chart.x[0];
  chart.svg.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, ...at(chart.left + 9, chart.top + 9)}));
  if (chart.x[1] - chart.x[0] < before) did.push('zoom');
  chart.svg.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}));
  if (chart.x[1] - chart.x[0] === before) did.push('all');
  const keys = document.querySelectorAll('.key');
  keys[1].dispatchEvent(new MouseEvent('click', {shiftKey: true, bubbles: true}));
  if (hidden.size === keys.length - 1) did.push('isolate');
  document.querySelectorAll('.key')[1].dispatchEvent(new MouseEvent('click', {shiftKey: true, bubbles: true}));
  if (hidden.size === 0) did.push('whole');
  const cells = () => [...document.querySelectorAll('#table tbody tr')].map(row => row.cells[6].textContent);
  document.querySelectorAll('.sort')[6].click();
  const up = cells().map(Number);
  if (up.every((value, i) => i === 0 || value >= up[i - 1])) did.push('sort');
  document.body.dataset.did = did.join(' ');
}, 300);
</script>
PROBE
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --enable-logging=stderr \
  --window-size=1280,1400 --virtual-time-budget=5000 --dump-dom "file://$folder/page.html" \
  >"$folder/dom" 2>"$folder/said"
expected='data-did="hover linked zoom all isolate whole sort"'
grep -qF "$expected" "$folder/dom" || {
  echo "expected $expected, got: $(grep -o 'data-did="[^"]*"' "$folder/dom" || echo nothing)"
  exit 1
}
if grep 'CONSOLE' "$folder/said"; then
  echo "the console of the browser has messages"
  exit 1
fi
