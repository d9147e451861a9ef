#!/usr/bin/env python3
"""scripts/gpu-report.py on made-up folders: good ones, and every way in which one can be bad.
  python3 gpu_report_test.py"""
import copy
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "gpu-report.py"
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("gpu_report", SCRIPT)
report = importlib.util.module_from_spec(spec)
spec.loader.exec_module(report)

STEPS = """1\tgpu-tests\tfailed\t12\t230\texit status 1: 2 | 3 <b>wrong</b>
2\troofs-cold\tok\t80\t200\t
5\tncu\tskipped\t0\t0\tncu does not work here: Profiling is not supported
3\tfigures\ttimed out\t120\t120\tit did not end within 120 s
"""
FIGURES = """a line of the program
figure\tcudaMemcpy 2 GB\tbyte\t2e9\t5e-4,4e-4,6e-4
figure\tevents, nothing between\trun\t1\t0,1.5e-6,0
figure\tevents, one empty kernel between\trun\t1\t4e-6
figure\tfp32 FMA, chains 8, unroll 256\tFLOP\t3e11\t5e-3,5e-3\t1.98e9
figure\tfp32 FMA, chains 4, unroll 256\tFLOP\t3e11\t6e-3,6e-3
figure\tshared, in flight 8, blocks per SM 1\tbyte\t3.3e9\t1e-4,1e-4\t1.98e9
figure\tshared, in flight 4, blocks per SM 4\tbyte\t3.3e9\t2e-4,2e-4\t1.98e9
figure\ttile bf16 on vector units, repeat 64, 8 warps per SM\tFLOP\t1e12\t2e-2\t0
skipped\tcudaMemcpy 8 GB\tno memory
"""


def roof(name, kind, rate, **more):
    return {"name": name, "kind": kind, "rate": rate, "rate_low": 0.99 * rate, "rate_high": 1.01 * rate,
            "best": 1.02 * rate, "source": "measured", "dtype": None, **more}


def compute(name, rate, dtype):
    return roof(name, "compute", rate, dtype=dtype)


def h200(copy_rate, *more):
    return {"created": "2026-11-21T10:00:00Z", "app": {"version": "1", "commit": "abc"},
            "device": {"id": "cuda:0", "kind": "cuda", "name": "NVIDIA H200", "driver": "13000", "compute_capability": "9.0",
                       "multiprocessors": 132, "memory_bytes": 150e9, "clock_hz": 1.98e9,
                       "libraries": [{"name": "NVML", "file": "/usr/lib/libnvidia-ml.so.1"}]},
            "roofs": [roof("DRAM copy", "bandwidth", copy_rate), roof("L1", "bandwidth", 33e12),
                      {**compute("fp32 FMA", 60e12, "fp32"), "shape": {"chains": "4", "unroll": "256"}},
                      {"name": "DRAM", "kind": "bandwidth", "rate": 4.8e12, "source": "datasheet"}, *more]}


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, **files):
        for name, text in files.items():
            stem, ending = name.rsplit("_", 1)
            text = text if isinstance(text, str) else json.dumps(text)
            (self.folder / f"{stem.replace('_', '-')}.{ending}").write_text(text)

    def fill(self):
        self.write(steps_tsv=STEPS, figures_txt=FIGURES, counters_txt="case  FLOP  counted\nchain   1.0  ok\n",
                   sweep_explained_txt="It is bandwidth-bound.\n", roofs_cold_json=h200(4.0e12),
                   roofs_warm_json=h200(4.28e12))

    def page(self):
        return report.page_of(self.folder)

    def check_has(self, *texts):
        page = self.page()
        for text in texts:
            self.assertIn(text, page)

    def check_refused(self, said, folder=None):
        with self.assertRaises(report.Bad) as refusal:
            report.page_of(folder or self.folder)
        self.assertIn(said, str(refusal.exception))
        self.assertNotIn("\n", str(refusal.exception))

    def test_it_says_what_held_with_published_figures_beside_ours(self):
        self.fill()
        self.check_has(
            "# GPU check: NVIDIA H200\n", "NVML: /usr/lib/libnvidia-ml.so.1.", "140 GiB, driver 13000.",
            "1 of 4 steps held. failed: gpu-tests. timed out: figures. skipped: ncu.",
            "| 1 | gpu-tests | failed | 12 of 230 s | exit status 1: 2 \\| 3 \\<b>wrong\\</b> |",
            "| DRAM copy | 4.28 TB/s | 4.24 TB/s to 4.32 TB/s | 4.37 TB/s | 93 % | 4.80 TB/s | 89 % |",
            "| 4.26 TB/s to 4.30 TB/s (gpu-benches) | agrees |",
            "| cudaMemcpy 2 GB | 4.00 TB/s | 5.00 TB/s | 500 µs | 3 |", "| events, nothing between | 0 s |",
            "| events, one empty kernel between | 4.00 µs |",
            "2 shapes, the fastest first. The search chose number 2 of them, at 83 % of the fastest.",
            "| fp32 FMA, chains 8, unroll 256 | 60.0 TFLOP/s | 60.0 TFLOP/s | 230 FLOP |",
            "| shared, in flight 8, blocks per SM 1 | 33.0 TB/s | 33.0 TB/s | 126 B |",
            "2 shapes, the fastest first. The roof was not measured.",
            "| tile bf16 on vector units, repeat 64, 8 warps per SM | 50.0 TFLOP/s |", "- cudaMemcpy 8 GB: no memory\n",
            "## Default sweep\n\n    It is bandwidth-bound.\n", "    case  FLOP  counted\n    chain   1.0  ok\n")

    def test_roofs_are_compared_with_what_other_programs_reached(self):
        session = h200(4.2e12, compute("bf16 matrix", 700e12, "bf16"), compute("bf16 library", 800e12, "bf16"))
        self.write(steps_tsv="3\tfigures\tok\t1\t40\t\n", roofs_warm_json=session)
        ours = "| bf16 matrix | 700 TFLOP/s | cuBLASLt, roof bf16 library | 800 TFLOP/s | 0.875 |"
        self.check_has(ours)
        self.write(figures_txt="figure\tcudaMemcpy 2 GB\tbyte\t2e9\t5e-4,4e-4,6e-4\n"
                   "figure\tevents, nothing between\trun\t1\t1e-6\n"
                   "figure\tPyTorch 2.9 fp64 matmul 8192\tFLOP\t1e12\t1e-2\n"
                   "figure\tPyTorch 2.9 bf16 matmul 8192\tFLOP\t1e12\t1.25e-3\n")
        self.check_has(ours, "| DRAM copy | 4.20 TB/s | cudaMemcpy 2 GB | 4.00 TB/s | 1.050 |",
                       "| bf16 matrix | 700 TFLOP/s | PyTorch 2.9 bf16 matmul 8192 | 800 TFLOP/s | 0.875 |",
                       "| bf16 library | 800 TFLOP/s | PyTorch 2.9 bf16 matmul 8192 | 800 TFLOP/s | 1.000 |")
        self.assertNotIn("| fp64", self.page())  # nothing that was not measured here
        self.write(roofs_warm_json={**session, "roofs": []})
        self.assertNotIn("Ours and theirs", self.page())

    def test_a_launch_is_a_time_with_the_shorter_one_first(self):
        launch = roof("launch", "overhead", 1 / 4e-6, rate_low=1 / 4.2e-6, rate_high=1 / 3.9e-6, best=1 / 3.9e-6)
        cold = roof("launch", "overhead", 1 / 5e-6)
        self.write(steps_tsv=STEPS, roofs_warm_json=h200(4.2e12, launch), roofs_cold_json=h200(4.2e12, cold))
        self.check_has("| launch | 4.00 µs | 3.90 µs to 4.20 µs | 3.90 µs | 125 % |",
                       "| 2.50 µs (launch overhead by clpeak) | above, 160 % of it |")

    def test_a_librarys_product_is_compared_with_roofs_of_its_units(self):
        roofs = [compute(f"{dtype} {kind}", 60e12, dtype) for dtype in ("fp64", "fp16", "fp32")
                 for kind in ("FMA", "matrix", "library") if (dtype, kind) != ("fp32", "matrix")]
        self.write(steps_tsv="3\tfigures\tok\t1\t40\t\n", roofs_warm_json=h200(4.2e12, *roofs),
                   figures_txt="figure\tPyTorch 2.9 fp64 matmul 8192\tFLOP\t1e12\t1e-2\n"
                   "figure\tPyTorch 2.9 fp32 matmul 8192\tFLOP\t1e12\t1e-2\n")
        self.check_has("| fp64 matrix | 60.0 TFLOP/s | cuBLASLt, roof fp64 library |",
                       "| fp16 matrix | 60.0 TFLOP/s | cuBLASLt, roof fp16 library |",
                       "| fp32 FMA | 60.0 TFLOP/s | cuBLASLt, roof fp32 library |",
                       "| fp64 matrix | 60.0 TFLOP/s | PyTorch 2.9 fp64 matmul 8192 |",
                       "| fp32 FMA | 60.0 TFLOP/s | PyTorch 2.9 fp32 matmul 8192 |")
        for row in ("| fp64 FMA | 60.0 TFLOP/s | cuBLASLt", "| fp16 FMA | 60.0 TFLOP/s | cuBLASLt",
                    "| fp64 FMA | 60.0 TFLOP/s | PyTorch"):
            self.assertNotIn(row, self.page())

    def test_where_only_mma_sync_has_a_roof_a_library_is_compared_with_that(self):
        roofs = [compute(f"bf16 {kind}", 60e12, "bf16") for kind in ("FMA", "mma.sync", "library")]
        self.write(steps_tsv="3\tfigures\tok\t1\t40\t\n", roofs_warm_json=h200(4.2e12, *roofs), figures_txt="")
        self.check_has("| bf16 mma.sync | 60.0 TFLOP/s | cuBLASLt, roof bf16 library |")
        self.assertNotIn("| bf16 FMA | 60.0 TFLOP/s | cuBLASLt", self.page())

    def test_a_roof_that_misses_what_was_published_is_named_with_its_share(self):
        for rate, words in ((2.13e12, "| below, 50 % of it |"), (8.6e12, "| above, 200 % of it |")):
            self.write(steps_tsv=STEPS, roofs_warm_json=h200(rate))
            self.check_has(words)

    def test_published_figures_belong_to_one_gpu(self):
        device, (memory, cache, *_) = h200(4.28e12)["device"], h200(4.28e12)["roofs"]
        self.assertEqual(report.published_for(device, memory)[0], 4.26e12)
        self.assertAlmostEqual(report.published_for(device, cache)[1], 128 * 132 * 1.98e9, delta=1)
        for name, low in (("NVIDIA H200 MIG 3g.71gb", None), ("NVIDIA GH200 480GB", None), ("NVIDIA H20", None),
                          ("NVIDIA A100-SXM4-40GB", 1.37e12), ("NVIDIA A100-SXM4-80GB", None)):
            found = report.published_for({**device, "name": name}, memory)
            self.assertEqual(found and found[0], low, name)

    def test_every_published_figure_is_in_the_tables_of_the_documents(self):
        lines = [line for page in (ROOT / "docs").glob("*.md") for line in page.read_text().splitlines()
                 if line.startswith("| ")]
        for gpu, _, name, low, high, *_ in report.PUBLISHED:
            self.assertTrue(any(line.startswith(f"| {gpu}") and f"{low:g}" in line and f"{high:g}" in line
                                for line in lines), (gpu, name, low, high))

    def test_without_sessions_and_figures_it_still_says_what_each_step_came_to(self):
        self.write(steps_tsv="1\tdevices\tok\t1\t40\t\n")
        self.check_has("No session was measured.", "1 of 1 steps held.", "No roofs were measured.")

    def test_a_step_that_crashed_leaves_an_empty_file_and_still_there_is_a_page(self):
        self.fill()
        self.write(steps_tsv="3\tfigures\tfailed\t2\t40\texit status 139\n", figures_txt="", nvbandwidth_txt="",
                   torch_txt="", counters_txt="")
        self.check_has("| 3 | figures | failed | 2 of 40 s | exit status 139 |", "| DRAM copy | 4.28 TB/s |")
        self.assertNotIn("Copies, events", self.page())

    def test_a_folder_that_is_none_empty_half_written_or_of_two_devices_is_refused(self):
        self.check_refused("nowhere' is no folder", self.folder / "nowhere")
        self.check_refused("holds no steps.tsv")
        for text, said in (("", "steps.tsv is empty: expected a line for each step"),
                           ("1\tdevices\tok\t1\t40\t\n2\troofs-co", "steps.tsv:2: expected part, step, outcome"),
                           ("1\tdevices\tperhaps\t1\t40\t\n", "steps.tsv:1: expected part")):
            self.write(steps_tsv=text)
            self.check_refused(said)
        self.fill()
        for bad in ("figure\tx\tbyte\t1", "figure\tx\tbyte\t1\t1,nan", "figure\tx\tbyte\tmany\t1", "figure\tx\tbyte\t1\t-1",
                    "figure\tx\tbyte\t1\t", "figure\tx\tbyte\t1\t1\t-1", "figure\tx\tbyte\t1\t1\t1\t1"):
            self.write(figures_txt=bad)
            self.check_refused("figures.txt:1: expected \"figure\", name")
        self.fill()
        self.write(sweep_json=json.dumps(h200(4e12))[:500])
        self.check_refused("sweep.json")
        other = copy.deepcopy(h200(4e12))
        other["device"]["name"] = "NVIDIA H100 80GB HBM3"
        self.write(sweep_json=other)
        self.check_refused("sweep.json was measured on NVIDIA H100 80GB HBM3")
        other["device"]["kind"] = "cpu"
        self.write(sweep_json=other)
        self.check_refused("expected a GPU")

    def test_the_page_goes_to_a_file_where_one_is_named(self):
        self.fill()
        file = self.folder / "page.md"
        run = [sys.executable, SCRIPT, self.folder]
        self.assertEqual(subprocess.run([*run, "-o", file], check=False).returncode, 0)
        self.assertTrue(file.read_text().startswith("# GPU check: NVIDIA H200\n"))
        self.assertEqual(subprocess.run(run, check=True, capture_output=True).stdout.decode(), file.read_text())
        bad = subprocess.run([sys.executable, SCRIPT, self.folder / "nowhere"], check=False, capture_output=True)
        self.assertEqual((bad.returncode, bad.stdout), (2, b""))
        self.assertTrue(bad.stderr.startswith(b"gpu-report: '"), bad.stderr)


if __name__ == "__main__":
    unittest.main()
