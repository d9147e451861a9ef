# Compares the work that cases claim (first file: lines of cuda_gpu_work) with what the hardware counted (second file:
# `ncu --csv --print-units base`, one line per kernel and metric). An empty kernel comes before those of each case.
# Prints a table with a verdict per row; exit status 1 unless every row is ok.
#
# Three things count more than a case claims, and are right. ptxas moves constants by HFMA2 (-RZ, RZ, c, c): a whole number
# for each thread, at most as many as the machine code holds, which the case says. A library multiplies whole tiles: its
# kernel's name says of which size (nvjet_sm90_hsh_320x128_..., ..._tilesize128x256x32_...). And the case says what its
# kernel executes beside its claim: the lanes of a warp add up their sums.

function unquoted(line) { sub(/\r$/, "", line); sub(/^"/, "", line); sub(/"$/, "", line); return line }

# FLOP that a counted instruction, or an operation of matrix units, stands for in a case: "ffma:2,fadd:1". Other counters
# do not count.
function weight(counters, metric,    n, i, part, pair) {
  n = split(counters, part, ",")
  for (i = 1; i <= n; ++i) {
    split(part[i], pair, ":")
    if (pair[1] ~ /^tensor_/) {
      if (metric ~ ("ops_path_tensor_src_" substr(pair[1], 8) "(_|\\.)")) return pair[2]
    } else if (metric ~ ("_op_" pair[1] "_pred_on")) return pair[2]
  }
  return 0
}

function share(counted, claimed) { return claimed > 0 ? counted / claimed : 0 }
# Of a grid or a block: "(92160, 1, 1)".
function product(size,    part) {
  gsub(/[() ]/, "", size)
  split(size, part, ",")
  return part[1] * part[2] * part[3]
}

# Constants that each thread of a case moves, which are all that it counts beyond its claim; 0 where they are not.
function constants_moved(i,    each, moved, whole) {
  each = weight(counters[i], "_op_hfma_pred_on") * threads[i]
  if (each == 0) return 0
  moved = (counted[i] - flops[i]) / each
  whole = int(moved + 0.5)
  return whole >= 1 && whole <= most_moved[i] && near(moved / whole, 0.01) ? whole : 0
}

function rounded_up(side, tile) { return int((side + tile - 1) / tile) * tile }

# "320" or "320 x 192": the tiles of a library's product that reach beyond its matrices, where these are all that it counts
# beyond its claim; else nothing.
function tiles_beyond(i,    size, rows, columns) {
  if (side[i] == 0 || split(tile[i], size, "x") != 2) return ""
  rows = rounded_up(side[i], size[1]); columns = rounded_up(side[i], size[2])
  if (!near(counted[i] / flops[i] * side[i] * side[i] / (rows * columns), 0.001)) return ""
  if (rows == side[i]) return size[2]
  return columns == side[i] ? size[1] : size[1] " x " size[2]
}

function verdict_on_flops(i, flop_share,    moved, tiles) {
  if (near(flop_share, 0.01)) return "ok"
  if ((moved = constants_moved(i)) > 0)
    return sprintf("ok: each thread moves %d constant%s by HFMA2", moved, moved > 1 ? "s" : "")
  if (beside[i] > 0 && near(counted[i] / (flops[i] + beside[i]), 0.001))
    return sprintf("ok: executes %.2f %% more than it claims: a warp adds up its sums", 100 * (flop_share - 1))
  if ((tiles = tiles_beyond(i)) != "")
    return sprintf("ok: executes %.1f %% more than it claims: tiles of %s", 100 * (flop_share - 1), tiles)
  return "FLOP WRONG"
}

function near(ratio, tolerance) { return ratio >= 1 - tolerance && ratio <= 1 + tolerance }
function shown(claimed, ratio) { return claimed > 0 ? sprintf("%.4f", ratio) : "-" }

BEGIN { marker = "none" }

FILENAME == ARGV[1] {
  if (split($0, field, "\t") == 8 && field[1] == "case") {
    name[++cases] = field[2]; counters[cases] = field[3]; flops[cases] = field[4]; bytes[cases] = field[5]
    most_moved[cases] = field[6]; side[cases] = field[7]; beside[cases] = field[8]
  } else if (field[1] == "skipped") {
    skipped[++skips] = field[2] ": " field[3]
  }
  next
}

# ncu prints lines of its own before the table.
!columns {
  if ($0 !~ /"Kernel Name".*"Metric Name".*"Metric Value"/) next
  columns = split(unquoted($0), head, "\",\"")
  for (i = 1; i <= columns; ++i) column[head[i]] = i
  next
}

{
  if (split(unquoted($0), value, "\",\"") != columns) next
  id = value[column["ID"]]; kernel = value[column["Kernel Name"]]
  if (kernel ~ /empty_kernel/) {
    if (id != marker) ++current
    marker = id
    next
  }
  if (current == 0) next
  if (id != kernel_id) {
    kernel_id = id
    threads[current] += product(value[column["Grid Size"]]) * product(value[column["Block Size"]])
    if (match(kernel, /(_|tilesize)[0-9]+x[0-9]+[x_]/)) {
      tile[current] = substr(kernel, RSTART, RLENGTH - 1)
      sub(/^(_|tilesize)/, "", tile[current])
    }
  }
  metric = value[column["Metric Name"]]
  text = value[column["Metric Value"]]
  gsub(/,/, "", text)
  if (text !~ /^[0-9.]+([eE][-+]?[0-9]+)?$/) next
  ++rows[current]
  if (metric ~ /^dram__bytes/) { dram[current] += text; seen_dram = 1 }
  counted[current] += weight(counters[current], metric) * text
}

END {
  if (!columns) { print "gpu-check: ncu left no table; see its messages above"; exit 1 }
  if (current != cases) {
    printf "gpu-check: ncu saw %d cases, %d were run\n", current, cases
    bad = 1
  }
  printf "%-34s %14s %9s %14s %9s  %s\n", "case", "FLOP", "counted", "DRAM byte", "counted", "verdict"
  for (i = 1; i <= cases; ++i) {
    f = counters[i] == "none" ? 0 : flops[i]
    flop_share = share(counted[i], f); byte_share = share(dram[i], bytes[i])
    verdict = f > 0 ? verdict_on_flops(i, flop_share) : "ok"
    if (!rows[i]) verdict = "NOT PROFILED"
    else if (verdict ~ /^ok/ && bytes[i] > 0 && !near(byte_share, 0.05)) verdict = "BYTES WRONG"
    else if (f == 0 && bytes[i] == 0) verdict = "no counter"
    if (verdict !~ /^(ok|no counter)/) bad = 1
    printf "%-34s %14.6g %9s %14.6g %9s  %s\n", name[i], flops[i], shown(f, flop_share), bytes[i], \
      shown(bytes[i], byte_share), verdict
  }
  for (i = 1; i <= skips; ++i) print "skipped: " skipped[i]
  exit cases == 0 || bad ? 1 : 0
}
