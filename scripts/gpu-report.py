#!/usr/bin/env python3
"""One page (Markdown) of the results of gpu-check.sh: what held, what did not, and published figures beside ours.
  python3 gpu-report.py [RESULTS] [-o FILE.md]    RESULTS: default gpu-check-results; without -o, standard output
Exit status 2, with a sentence that names the place, for a folder that is none, is half-written, or mixes devices."""
import argparse
import json
import math
import pathlib
import statistics
import sys

SAME_WITHIN = 0.05  # published figures are of other machines of the same kind: this near is the same
OUTCOMES = ("ok", "failed", "skipped", "timed out")
# A roof whose shapes were all measured, each as a figure "ROOF, axis value, ...".
SEARCHED = {"fp32 FMA": "Shapes of the fp32 FMA peak", "shared": "Shapes of the reads of shared memory"}

BENCHES, LAUNCHES = "gpu-benches", "launch overhead by clpeak"
PER_SM = "gpu-benches, byte per clock and SM"
# Words of the driver's name for the GPU, roof, lowest and highest figure, their unit, source. Every row is in docs, under
# "Published results" and "Launches", with the same sources.
PUBLISHED = (
    ("H200", "", "DRAM copy", 4.26, 4.3, "T", BENCHES),
    ("H200", "", "DRAM read", 4.39, 4.46, "T", BENCHES),
    ("H200", "", "DRAM write", 4.66, 4.66, "T", BENCHES),
    ("H200", "", "fp32 FMA", 42.6, 59.5, "T", "gpu-benches, gpu-roofline"),
    ("H200", "", "bf16 matrix", 686, 798, "T", "WMMA to cuBLAS, dense"),
    ("H200", "", "bf16 mma.sync", 623, 686, "T", "63 to 65 % of dense, WMMA"),
    ("H200", "", "bf16 library", 769, 798, "T", "cuBLAS, dense"),
    ("H200", "", "fp8 matrix", 1453, 1453, "T", "dense, best shape"),
    ("H200", "", "L2", 9.6, 10.3, "T", BENCHES),
    ("H200", "", "L1", 126, 128, "per clock", PER_SM),
    ("H200", "", "shared", 126, 128, "per clock", PER_SM),
    ("H200", "", "launch", 2.5, 2.5, "us", LAUNCHES),
    ("H200", "", "launch graph", 1.3, 1.3, "us", LAUNCHES),
    ("H100", "HBM3", "bf16 matrix", 795, 808, "T", "8192 cubed: cuBLAS, by hand"),
    ("H100", "HBM3", "bf16 library", 795, 795, "T", "cuBLAS, 8192 cubed"),
    ("H100", "", "launch", 2.1, 2.1, "us", LAUNCHES),
    ("H100", "", "launch graph", 1.3, 1.3, "us", LAUNCHES),
    ("A100", "40GB", "DRAM copy", 1.37, 1.37, "T", BENCHES),
    ("A100", "40GB", "fp32 FMA", 19.2, 19.2, "T", BENCHES),
    ("A100", "SXM", "bf16 matrix", 271, 271, "T", "matmul, dense"),
    ("B200", "", "bf16 library", 1745, 1745, "T", "matmul, dense"),
    ("B200", "", "fp8 library", 3433, 3433, "T", "matmul, dense"),
    ("B200", "", "launch", 3.8, 3.8, "us", LAUNCHES),
    ("B200", "", "launch graph", 0.8, 0.8, "us", LAUNCHES),
)


class Bad(Exception):
    """The results cannot be read; the text says what, where, and what was expected."""


# ---- texts


def digits(value, count):
    """So many significant digits, but never fewer than the integer part has."""
    leading = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(count - 1 - leading, 0)}f}"


def scaled(value, unit, prefixes):
    if not value:
        return f"0 {unit}"
    value = float(f"{value:.2e}")
    symbol, scale = next((p for p in prefixes if value >= p[1]), prefixes[-1])
    return f"{digits(value / scale, 3)} {symbol}{unit}"


def rate(value, unit):
    return scaled(value, unit, (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1)))


def seconds(value):
    return scaled(value, "s", (("", 1), ("m", 1e-3), ("µ", 1e-6), ("n", 1e-9)))


def number(value, count):
    text = digits(value, count)
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share):
    return f"{100 * share:.0f} %" if share >= 0.995 else f"{number(100 * share, 2)} %"


def memory(count):
    for symbol, scale in (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20)):
        if count >= scale:
            return f"{number(count / scale, 3)} {symbol}B"
    return f"{count:.0f} B"


def printable(text):
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)


def cell(text):
    """It must not end its row, nor begin markup."""
    safe = printable(str(text)).replace("\n", "\\x0a")
    return "".join("\\" + c if c in "|<`" else c for c in safe)


def table(head, rows):
    lines = [head, None, *rows]
    return "".join("|" + "---|" * len(head) + "\n" if row is None else "|" + "".join(f" {cell(c)} |" for c in row) + "\n"
                   for row in lines) + "\n"


def block(text):
    """Lines that keep their columns."""
    return "".join(f"    {line}\n" for line in printable(text).rstrip("\n").split("\n")) + "\n"


# ---- reading


def read_text(path):
    return path.read_bytes().decode("utf-8", "backslashreplace") if path.exists() else ""


def amount(text):
    value = float(text)
    if not (value >= 0 and math.isfinite(value)):
        raise ValueError
    return value


def read_lines(path, expected, read):
    """What `read` makes of each line's fields; ValueError of it names the line."""
    found = []
    for place, line in enumerate(read_text(path).splitlines(), 1):
        try:
            found += read(line.split("\t"))
        except ValueError:
            raise Bad(f"{path}:{place}: expected {expected}") from None
    return found


def step_of(fields):
    part, name, outcome, took, limit, why = fields
    if int(part) not in range(10) or outcome not in OUTCOMES:
        raise ValueError
    return [{"part": part, "name": name, "outcome": outcome, "seconds": amount(took), "limit": amount(limit), "why": why}]


def figure_of(fields):
    """Something measured beside the sessions, or ("left out", sentence); nothing of what a program says beside them."""
    if fields[0] == "skipped" and len(fields) == 3:
        return [("left out", f"{fields[1]}: {fields[2]}")]
    if fields[0] != "figure":
        return []
    name, unit, work, samples, *clock = fields[1:]
    if len(clock) > 1:
        raise ValueError
    samples = [amount(one) for one in samples.split(",")]  # two events can show the same time: 0
    median = statistics.median(samples)
    return [("figure", {"name": name, "unit": unit, "amount": amount(work), "samples": samples, "median": median,
                        "rate": amount(work) / median if median else 0, "clock": amount(clock[0]) if clock else 0})]


def read_sessions(folder):
    sessions = {}
    for name in ("roofs-cold", "roofs-warm", "sweep", "tile"):
        path = folder / f"{name}.json"
        if not path.exists():
            continue
        try:
            session = json.loads(read_text(path))
            device = session["device"]["name"]
            kind = session["device"]["kind"]
            session["roofs"] = {r["name"]: r for r in session["roofs"] if r["source"] == "measured"}, {
                r["name"]: r for r in session["roofs"] if r["source"] == "datasheet"}
        except (ValueError, KeyError, TypeError) as error:
            raise Bad(f"{path}: {error}; expected a session") from None
        if kind != "cuda":
            raise Bad(f"{path} was measured on {device}: expected a GPU")
        first = next(iter(sessions.values()), session)["device"]["name"]
        if device != first:
            raise Bad(f"{path} was measured on {device}, another session on {first}: expected results of one GPU")
        sessions[name] = session
    return sessions


# ---- sections


def roof_text(roof, value):
    """A rate of a roof; of a launch the time of one."""
    if not value:
        return "-"
    if roof["kind"] == "overhead":
        return seconds(1 / value)
    integer = str(roof.get("dtype")).startswith("int")
    return rate(value, "B/s" if roof["kind"] == "bandwidth" else "OP/s" if integer else "FLOP/s")


def shown(roof, value):
    return 1 / value if roof["kind"] == "overhead" else value


def range_text(roof, low, high):
    """The smaller number first."""
    if low == high:
        return roof_text(roof, low)
    low, high = sorted((low, high), key=lambda value: shown(roof, value))
    return f"{roof_text(roof, low)} to {roof_text(roof, high)}"


def published_for(device, roof):
    """The lowest and the highest rate that others published, and who. A slice of a GPU is another device."""
    name = device["name"]
    if " MIG " in name:
        return None
    for gpu, other, of, low, high, unit, source in PUBLISHED:
        at = f" {name}".find(f" {gpu}")  # a whole word's beginning: GH200 is no H200
        if of != roof["name"] or at < 0 or other not in name[at:]:
            continue
        if unit == "us":
            return 1e6 / high, 1e6 / low, source
        clock = (roof.get("conditions") or {}).get("clock_hz") or device.get("clock_hz") or 0
        factor = 1e12 if unit == "T" else clock * device.get("multiprocessors", 0)
        return (low * factor, high * factor, source) if factor else None
    return None


def against(roof, published):
    here = shown(roof, roof["rate"])
    low, high = sorted(shown(roof, value) for value in published[:2])
    if here < low * (1 - SAME_WITHIN):
        return f"below, {percent(here / low)} of it"
    return f"above, {percent(here / high)} of it" if here > high * (1 + SAME_WITHIN) else "agrees"


def stated_rate(session, name):
    """The datasheet's rate of that roof, or what follows from the few that it has."""
    sheet = session["roofs"][1]
    name = name.removesuffix(", zeros")
    if name in sheet:
        return sheet[name]["rate"]
    if name.startswith("DRAM "):
        return max((roof["rate"] for roof in sheet.values() if roof["kind"] == "bandwidth"), default=0)
    for ending, other, share in ((" library", " matrix", 1), (" library", " FMA", 1), (" mma.sync", " matrix", 1),
                                 (" mul+add", " FMA", 0.5)):
        stated = sheet.get(name.removesuffix(ending) + other)
        if name.endswith(ending) and stated:
            return share * stated["rate"]
    return 0


def heading(sessions):
    if not sessions:
        return "# GPU check\n\nNo session was measured.\n\n"
    session = next(iter(sessions.values()))
    device, app = session["device"], session.get("app", {})
    text = (f"# GPU check: {cell(device['name'])}\n\nCompute capability {cell(device.get('compute_capability', ''))}, "
            f"{device.get('multiprocessors', 0)} SMs, {memory(device.get('memory_bytes', 0))}, driver "
            f"{cell(device.get('driver', ''))}. Ridgepoint {cell(app.get('version', ''))} (commit "
            f"{cell(app.get('commit', ''))}), measured {cell(session.get('created', ''))}.\n")
    libraries = (f"{cell(one['name'])}: {cell(one['file'])}.\n" for one in device.get("libraries") or [])
    return text + "".join(libraries) + "\n"


def steps_section(steps):
    held = sum(step["outcome"] == "ok" for step in steps)
    text = f"## What held\n\n{held} of {len(steps)} steps held."
    for outcome in ("failed", "timed out", "skipped"):
        names = ", ".join(step["name"] for step in steps if step["outcome"] == outcome)
        text += f" {outcome}: {cell(names)}." if names else ""
    rows = [(s["part"], s["name"], s["outcome"], f"{s['seconds']:.0f} of {s['limit']:.0f} s", s["why"]) for s in steps]
    return text + "\n\n" + table(("part", "step", "outcome", "time", "reason"), rows)


def roofs_section(session, cold):
    if session is None:
        return "## Roofs\n\nNo roofs were measured.\n\n"
    rows = []
    for name, roof in session["roofs"][0].items():
        first = cold["roofs"][0].get(name) if cold else None
        stated, published = stated_rate(session, name), published_for(session["device"], roof)
        low, high = roof.get("rate_low"), roof.get("rate_high")
        rows.append((name, roof_text(roof, roof["rate"]), range_text(roof, low, high) if low and high else "-",
                     roof_text(roof, roof.get("best")),
                     percent(shown(roof, first["rate"]) / shown(roof, roof["rate"])) if first else "-",
                     roof_text(roof, stated), percent(roof["rate"] / stated) if stated else "-",
                     f"{range_text(roof, *published[:2])} ({published[2]})" if published else "-",
                     against(roof, published) if published else "-"))
    text = ("## Roofs\n\nThe median of all rounds; \"cold\" is the first run, with its search, as a share of the second. "
            f"\"agrees\" means within {percent(SAME_WITHIN)} of what others published, on other machines.\n\n")
    return text + table(("roof", "measured", "95 % interval", "best", "cold", "datasheet", "of datasheet", "published",
                         "against published"), rows)


def roofs_of_products(roofs, dtype):
    """Those that a library's product compares with: a library multiplies fp32 on vector units, and on matrix units all
    else that they take."""
    on_matrix_units = tuple(name for name in (f"{dtype} matrix", f"{dtype} mma.sync") if name in roofs)
    return on_matrix_units or (f"{dtype} FMA",)


def peers_section(session, figures):
    """Our roofs, cuBLASLt (whose roof is called "library"), and what other programs reached."""
    roofs = session["roofs"][0] if session else {}
    rows = []

    def add(names, peer, theirs):
        for name in names:
            if theirs > 0 and name in roofs:
                ours = roofs[name]
                rows.append((name, roof_text(ours, ours["rate"]), peer, roof_text(ours, theirs),
                             f"{ours['rate'] / theirs:.3f}"))

    for name, roof in roofs.items():
        if name.endswith(" library") and roof.get("dtype"):
            add(roofs_of_products(roofs, roof["dtype"]), f"cuBLASLt, roof {name}", roof["rate"])
    for figure in figures:
        words = figure["name"].split(" ")
        if words[0] in ("cudaMemcpy", "nvbandwidth"):
            add(("DRAM copy",), figure["name"], figure["rate"])
        elif words[0] == "PyTorch" and "matmul" in words[2:]:
            dtype = words[words.index("matmul") - 1]
            add((*roofs_of_products(roofs, dtype), f"{dtype} library"), figure["name"], figure["rate"])
    if not rows:
        return ""
    return ("## Ours and theirs\n\nMedians, measured one after the other and not in turn: a GPU that warmed up in between "
            "counts as a difference.\n\n" + table(("roof", "ours", "peer", "theirs", "ours / theirs"), rows))


def figure_cells(figure):
    def text(time):  # of what does no work the time
        work = figure["amount"]
        return seconds(time) if figure["unit"] == "run" or not time else rate(
            work / time, "B/s" if figure["unit"] == "byte" else "FLOP/s")

    return [figure["name"], text(figure["median"]), text(min(figure["samples"])), seconds(figure["median"]),
            len(figure["samples"])]


def figures_section(figures, left_out):
    rows = [figure_cells(one) for one in figures if one["name"].split(",")[0] not in SEARCHED]
    if not rows and not left_out:
        return ""
    text = "## Copies, events, tiles, and what other programs measured\n\n"
    text += table(("what", "median", "best", "one run", "samples"), rows) if rows else ""
    return text + ("Not measured:\n\n" + "".join(f"- {cell(one)}\n" for one in left_out) + "\n" if left_out else "")


def chosen_shape(roof, shapes):
    if roof is None:
        return "The roof was not measured."
    axes = [roof["name"], *(f"{axis} {value}" for axis, value in (roof.get("shape") or {}).items())]
    for place, shape in enumerate(shapes, 1):
        if set(shape["name"].split(", ")) == set(axes):
            return f"The search chose number {place} of them, at {percent(shape['rate'] / shapes[0]['rate'])} of the fastest."
    return f"The search chose another shape: {cell(', '.join(axes))}."


def shapes_section(searched, session, figures):
    shapes = sorted((one for one in figures if one["name"].startswith(f"{searched},")), key=lambda one: -one["rate"])
    if not shapes:
        return ""
    multiprocessors = session["device"].get("multiprocessors", 0) if session else 0
    rows = []
    for one in shapes:
        cells, clocks = figure_cells(one), one["clock"] * multiprocessors
        unit = "B" if one["unit"] == "byte" else "FLOP"
        cells.insert(3, f"{number(one['rate'] / clocks, 3)} {unit}" if clocks else "-")
        rows.append(cells)
    chosen = chosen_shape(session["roofs"][0].get(searched) if session else None, shapes)
    return (f"## {SEARCHED[searched]}\n\n{len(shapes)} shapes, the fastest first. {chosen}\n\n" +
            table(("shape", "median", "best", "per clk/SM", "one run", "samples"), rows))


def page_of(folder):
    if not folder.is_dir():
        raise Bad(f"'{folder}' is no folder: expected the results of gpu-check.sh")
    if not (folder / "steps.tsv").exists():
        raise Bad(f"'{folder}' holds no steps.tsv: expected the results of gpu-check.sh")
    steps = read_lines(folder / "steps.tsv", "part, step, outcome, seconds, limit and reason, with tabs between them", step_of)
    if not steps:
        raise Bad(f"{folder / 'steps.tsv'} is empty: expected a line for each step")
    found = []
    for name in ("figures.txt", "nvbandwidth.txt", "torch.txt"):
        found += read_lines(folder / name, "\"figure\", name, unit, amount, samples and perhaps a clock, with tabs between "
                            "them", figure_of)
    figures, left_out = ([one for kind, one in found if kind == wanted] for wanted in ("figure", "left out"))
    sessions = read_sessions(folder)
    session, cold = sessions.get("roofs-warm", sessions.get("roofs-cold")), sessions.get("roofs-cold")
    text = heading(sessions) + steps_section(steps) + roofs_section(session, cold) + peers_section(session, figures)
    text += figures_section(figures, left_out)
    text += "".join(shapes_section(searched, session, figures) for searched in SEARCHED)
    for file, title in (("sweep-explained.txt", "Default sweep"), ("tile-explained.txt", "Tiles"),
                        ("counters.txt", "Counted by the hardware")):
        words = read_text(folder / file)
        text += f"## {title}\n\n{block(words)}" if words else ""
    return text


def main():
    parser = argparse.ArgumentParser(description="Make one page of the results of gpu-check.sh.")
    parser.add_argument("folder", nargs="?", default="gpu-check-results", metavar="RESULTS", type=pathlib.Path)
    parser.add_argument("-o", "--output", metavar="FILE.md", help="the page; without it, standard output")
    arguments = parser.parse_args()
    try:
        page = page_of(arguments.folder)
    except Bad as problem:
        print(f"gpu-report: {problem}", file=sys.stderr)
        return 2
    if arguments.output:
        pathlib.Path(arguments.output).write_text(page, encoding="utf-8")
    else:
        sys.stdout.buffer.write(page.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
