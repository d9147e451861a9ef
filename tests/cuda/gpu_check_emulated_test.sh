#!/bin/sh
# scripts/gpu-check.sh from end to end, and its page: devices, roofs, figures and sweeps come from the emulated runtime.
# Its kernels run on the host, so sweeps get smaller sizes than gpu-check.sh asks for, and the second run of all roofs is
# a copy of the first.
#   sh gpu_check_emulated_test.sh EMULATED-RIDGEPOINT EMULATED-FIGURES
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
script=$here/../../scripts/gpu-check.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
results=$scratch/results
wrong=0

has() { # FILE TEXT
  grep -qF -- "$2" "$1" && return
  printf 'FAILED: expected "%s" in %s\n' "$2" "$1"
  wrong=1
}
stand_in() {
  { printf '#!/bin/sh\n'; cat; } >"$scratch/$1"
  chmod +x "$scratch/$1"
}
stand_in cuda_gpu_test <<'EOF'
exit 0
EOF
stand_in cuda_gpu_work <<'EOF'
exit 0
EOF
stand_in cuda_gpu_figures <<EOF
exec "$2" 1e-4
EOF
stand_in ridgepoint <<EOF
case "\$*" in
  *roofs-warm.json) exec cp "$results/roofs-cold.json" "$results/roofs-warm.json" ;;
  *--lab*) exec "$1" "\$@" --max-time 20ms ;;
  sweep*) exec "$1" "\$@" --elements 16Ki --repeat 1,8,64 --max-time 50ms ;;
esac
exec "$1" "\$@"
EOF
for part in 1 2 3 4; do
  sh "$script" "$scratch" --results "$results" --part "$part" >"$scratch/out" 2>&1 || {
    echo "FAILED: part $part:" && cat "$scratch/out" && tail -n 5 "$results"/*.txt
    wrong=1
  }
done
for file in devices.json roofs-cold.json roofs-warm.json sweep.json tile.json; do
  has "$results/$file" 'Emulated GPU'
done
has "$results/devices.json" '/emulated/libnvidia-ml.so.1'
[ "$(grep -c '^figure.fp32 FMA,' "$results/figures.txt")" -eq 8 ] || {
  echo 'FAILED: expected 8 shapes of the FMA peak' && grep FMA "$results/figures.txt"
  wrong=1
}
[ "$(grep -c '^figure.shared,' "$results/figures.txt")" -eq 2 ] || {
  echo 'FAILED: expected two shapes of reads of shared memory' && grep shared "$results/figures.txt"
  wrong=1
}
for dtype in fp32 fp16 bf16; do
  has "$results/figures.txt" "figure	tile $dtype on vector units, repeat 64, 4 warps per SM	FLOP	"
done
has "$results/figures.txt" 'figure	events, one empty kernel between	run	1	'
has "$results/figures.txt" 'figure	cudaMemcpy 8 GB	byte	'

python3 "$here/../../scripts/gpu-report.py" "$results" >"$scratch/page.md" 2>"$scratch/out" || {
  echo 'FAILED: no page:' && cat "$scratch/out"
  wrong=1
}
has "$scratch/page.md" '# GPU check: Emulated GPU'
has "$scratch/page.md" '| DRAM copy |'
has "$scratch/page.md" '8 shapes, the fastest first.'
has "$scratch/page.md" '## Shapes of the reads of shared memory'
has "$scratch/page.md" '| shared, in flight 8 |'
has "$scratch/page.md" '| tile bf16 on vector units, repeat 1, 4 warps per SM |'
has "$scratch/page.md" '| bf16 mma.sync |'
has "$scratch/page.md" '## Default sweep'
has "$scratch/page.md" 'chain fma fp32, unfused, vector units'
has "$scratch/page.md" '## Tiles'
has "$scratch/page.md" 'tile mma bf16, fused, matrix units'
exit "$wrong"
