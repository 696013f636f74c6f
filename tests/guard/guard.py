#!/usr/bin/env python3
"""The guard: every output, byte for byte, so that a change that should change nothing is seen to change nothing.

guard.py record BIN -o FILE.tsv ROOT...     digests of all outputs over the traces below each ROOT
guard.py compare OLD.tsv NEW.tsv            what differs; status 1 where something does
guard.py cost OLD_BIN NEW_BIN BENCH         instructions (valgrind), peak memory and CPU time of eight bench cases

record: a line for each input and direction: converting to Perfetto (also --compress), to JSON, to FXT (also
--keep-packets), info (also --json), dump (also --resolve, --events), and merging each input alone and with the next of
its folder. A line has the exit status and digests of the output, of what was said on stderr and of the report (merging
has a line of its own for the report as text). The last column names the modes in which one of these is not that of -j1,
and what it is there: converting with -j2, with --memory 1M, and fed piece by piece (--feeder; has no stderr and no
report); merging with -j2.
ROOT may end in :BYTES, the largest input that is taken there (30000000); inputs are named from ROOT's last part on.
--feeder PROGRAM: guard_feed of the build.  --jobs N: runs at a time (the machine's cores).
--orders EVENTS: also a trace of EVENTS slices in each order and format of tests/bench/orders_generate.py, on 16
threads, and on a thread each.
--tiny BYTES: inputs up to this are fed byte by byte (65536), larger ones 4093 bytes at a time.

compare: lines that OLD has not are counted and are no difference: inputs may be added.

cost: BENCH is the build's tracebridge_bench, which makes the inputs by seed. Status 1 where NEW_BIN takes more
instructions or more memory than allowed; times, the median of paired runs, are shown and not judged.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

# Name, suffix, options. The modes are run for those without options.
TARGETS = (
    ("perfetto", "pftrace", []),
    ("perfetto --compress", "pftrace", ["--compress"]),
    ("json", "json", []),
    ("fxt", "fxt", []),
    ("fxt --keep-packets", "fxt", ["--keep-packets"]),
)
LOOKS = ("info", "info --json", "dump", "dump --resolve", "dump --events")
NOT_TRACES = r"\.(md|tsv|py|mjs|textproto|proto|c|js)$"
PIECE = 4093
TIMEOUT = 600


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16] if data else "-"


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


class Run:
    """One call of the program in a folder of its own, with the inputs as `in/NAME`, so that no output has its path."""

    def __init__(self, arguments, inputs):
        with tempfile.TemporaryDirectory() as work:
            os.mkdir(f"{work}/in")
            os.mkdir(f"{work}/tmp")
            for name, path in inputs.items():
                os.symlink(os.path.abspath(path), f"{work}/in/{name}")
            done = subprocess.run(
                arguments, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TMPDIR": f"{work}/tmp"}, check=False)
            outputs = [name for name in sorted(os.listdir(work)) if name.startswith("out.")]
            left = [name for name in os.listdir(work) if not re.match(r"(in|tmp)$|out\.|report\.", name)]
            left += os.listdir(f"{work}/tmp")
            said = done.stderr.replace(work.encode(), b".")
            if left:
                said += f"LEFT BEHIND: {len(left)} files\n".encode()
            self.status = str(done.returncode)
            self.output = digest(done.stdout + b"".join(read(f"{work}/{name}") for name in outputs))
            self.stderr = digest(said)
            self.report = digest(read(f"{work}/report.json") + read(f"{work}/report.txt"))

    def all(self):
        return (self.status, self.output, self.stderr, self.report)


def differing(modes):
    """Of {mode: (of the mode, of -j1)} those that differ, as text."""
    return " ".join(f"{mode}:{':'.join(got)}" for mode, (got, first) in modes.items() if got != first) or "-"


def modes_of(args, target, call, base, inputs, first):
    modes = {mode: (Run(call + options, inputs).all(), first.all())
             for mode, options in {"j2": ["-j2"], "memory": ["-j1", "--memory", "1M"]}.items()}
    if args.feeder:
        piece = 1 if os.path.getsize(inputs[base]) <= args.tiny else PIECE
        fed = Run([args.feeder, f"in/{base}", call[call.index("-o") + 1], target, str(piece)], inputs)
        modes["fed"] = (fed.all()[:2], first.all()[:2])
    return differing(modes)


def convert_rows(args, name, path):
    base, inputs, rows = os.path.basename(name), {os.path.basename(name): path}, []
    for direction, suffix, options in TARGETS:
        call = [args.program, "convert", f"in/{base}", "-o", f"out.{suffix}", "-q", "--report", "report.json", *options]
        first = Run(call + ["-j1"], inputs)
        modes = "-" if options else modes_of(args, direction, call, base, inputs, first)
        rows.append((name, direction, *first.all(), modes))
    for look in LOOKS:
        rows.append((name, look, *Run([args.program, *look.split(), f"in/{base}"], inputs).all(), "-"))
    return rows


def merge_rows(args, names, paths):
    inputs = {f"{i}{os.path.basename(path)}": path for i, path in enumerate(paths)}
    call = [args.program, "merge", *(f"in/{name}" for name in inputs), "-o", "out.pftrace", "--unplaced", "start"]
    first, two = (Run(call + [threads, "--report", "report.json"], inputs) for threads in ("-j1", "-j2"))
    text = Run(call + ["-j1", "--report", "report.txt"], inputs)
    name = names[0] if len(names) == 1 else f"{names[0]} + {os.path.basename(names[1])}"
    modes = differing({"j2": (two.all(), first.all())})
    return [(name, "merge", *first.all(), modes), (name, "merge, report as text", *text.all(), "-")]


def find_traces(roots):
    found = {}
    for root in roots:
        root, _, largest = root.partition(":")
        for folder, _, files in os.walk(root):
            for path in (os.path.join(folder, name) for name in files if not re.search(NOT_TRACES, name)):
                name = os.path.join(os.path.basename(os.path.abspath(root)), os.path.relpath(path, root))
                if name in found:
                    sys.exit(f"guard: two inputs are {name}")
                if os.path.getsize(path) <= int(largest or 30000000):
                    found[name] = path
    return sorted(found.items())


def make_orders(events, folder):
    """One root of traces in each order."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench/orders_generate.py")
    roots = []
    for tracks in (16, events):
        roots.append(f"{folder}/orders on {tracks} threads")
        os.mkdir(roots[-1])
        subprocess.run([sys.executable, "-B", program, "--all", str(events), str(tracks), roots[-1]], check=True)
    return roots


def record(args):
    with tempfile.TemporaryDirectory() as folder:
        return record_all(args, args.roots + (make_orders(args.orders, folder) if args.orders else []))


def record_all(args, roots):
    traces = find_traces(roots)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = [pool.submit(convert_rows, args, name, path) for name, path in traces]
        for i, (name, path) in enumerate(traces):
            waiting.append(pool.submit(merge_rows, args, [name], [path]))
            if i + 1 < len(traces) and os.path.dirname(traces[i + 1][0]) == os.path.dirname(name):
                waiting.append(pool.submit(merge_rows, args, [name, traces[i + 1][0]], [path, traces[i + 1][1]]))
        rows = [line for done in waiting for line in done.result()]
    with open(args.output, "w", encoding="utf-8") as file:
        file.write("#input\tdirection\tstatus\toutput\tstderr\treport\tmodes that differ from -j1\n")
        file.writelines("\t".join(line) + "\n" for line in sorted(rows))
    odd = sum(line[-1] != "-" for line in rows)
    print(f"guard: {len(traces)} inputs, {len(rows)} lines, {odd} with modes that differ")
    return 0 if traces else 1


def load(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {tuple(line[:2]): line[2:] for line in lines}


def compare(args):
    old, new = load(args.old), load(args.new)
    fields = ("status", "output", "stderr", "report", "modes")
    bad = 0
    for key in sorted(old):
        what = ", ".join(f for f, a, b in zip(fields, old[key], new[key]) if a != b) if key in new else "is gone"
        if what:
            bad += 1
            print(f"{key[0]}\t{key[1]}\t{what}")
    print(f"guard: {bad} of {len(old)} lines differ; {len(new.keys() - old.keys())} lines are new")
    return 1 if bad or not old else 0


# What is run for `cost`: a name, and the arguments behind the program's name; {} is the folder of the inputs.
CASES = (
    ("Chrome JSON to Perfetto", ["convert", "{}/chrome.json", "-o", "{}/out.pftrace"]),
    ("PyTorch JSON to Perfetto", ["convert", "{}/pytorch.json", "-o", "{}/out.pftrace"]),
    ("counters to Perfetto", ["convert", "{}/counters.json", "-o", "{}/out.pftrace"]),
    ("async to Perfetto", ["convert", "{}/async.json", "-o", "{}/out.pftrace"]),
    ("FXT to Perfetto", ["convert", "{}/fxt.fxt", "-o", "{}/out.pftrace"]),
    ("Perfetto to JSON", ["convert", "{}/as-chrome.pftrace", "-o", "{}/out.json"]),
    ("nested JSON to FXT", ["convert", "{}/nested.json", "-o", "{}/out.fxt"]),
    ("merging two Perfetto traces", ["merge", "{}/as-chrome.pftrace", "{}/fxt-perfetto.perfetto-trace",
                                     "--unplaced", "start", "-o", "{}/out.pftrace"]),
)


def instructions(program, arguments):
    call = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
            program, *arguments, "-q", "-j1"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    found = re.search(r"I +refs: +([0-9,]+)", done.stderr)
    if done.returncode not in (0, 4) or not found:
        sys.exit(f"guard: {' '.join(call)}: status {done.returncode}\n{done.stderr}")
    return int(found.group(1).replace(",", ""))


def memory_and_time(program, arguments):
    """Peak memory in kB and CPU seconds. By way of `time`: Python's own memory would count as the child's."""
    with tempfile.NamedTemporaryFile() as peak:
        call = ["/usr/bin/time", "-q", "-f", "%M", "-o", peak.name, "setarch", "-R", program, *arguments, "-q", "-j1"]
        used = os.wait4(os.posix_spawn(call[0], call, {"LC_ALL": "C", "PATH": os.environ["PATH"]}), 0)[2]
        return int(peak.read()), used.ru_utime + used.ru_stime


def measure(args, arguments):
    """Of both programs: instructions, the least peak memory; and the median of the ratios of CPU time."""
    programs = (args.old, args.new)
    runs = [[memory_and_time(program, arguments) for program in programs] for _ in range(args.rounds)]
    peaks = [min(run[i][0] for run in runs) for i in (0, 1)]
    time = statistics.median(new[1] / old[1] for old, new in runs)
    return [instructions(program, arguments) for program in programs], peaks, time


def cost(args):
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        args.old, args.new = shutil.copy(args.old, f"{work}/old"), shutil.copy(args.new, f"{work}/new")
        subprocess.run([args.bench, "--size", str(args.size), "--inputs", work], check=True)
        print(f"{'case':28} {'instructions':>14} {'ratio':>7} {'peak kB':>9} {'ratio':>7} {'CPU time':>9}")
        for name, arguments in CASES:
            counts, peaks, time = measure(args, [argument.replace("{}", work) for argument in arguments])
            ratios = counts[1] / counts[0], peaks[1] / peaks[0]
            worse = ratios[0] > args.most_instructions or ratios[1] > args.most_memory
            bad += worse
            figures = f"{counts[1]:14} {ratios[0]:7.4f} {peaks[1]:9} {ratios[1]:7.3f} {time:9.3f}"
            print(f"{name:28} {figures}{'  MORE' if worse else ''}", flush=True)
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("program", type=os.path.abspath)
    recording.add_argument("roots", nargs="+")
    recording.add_argument("-o", "--output", required=True)
    recording.add_argument("--feeder", type=os.path.abspath)
    recording.add_argument("--jobs", type=int, default=os.cpu_count())
    recording.add_argument("--tiny", type=int, default=65536)
    recording.add_argument("--orders", type=int, default=0)
    recording.set_defaults(run=record)
    comparing = commands.add_parser("compare")
    comparing.add_argument("old")
    comparing.add_argument("new")
    comparing.set_defaults(run=compare)
    costing = commands.add_parser("cost")
    costing.add_argument("old", type=os.path.abspath)
    costing.add_argument("new", type=os.path.abspath)
    costing.add_argument("bench", type=os.path.abspath)
    costing.add_argument("--size", type=int, default=8, help="MB of each input")
    costing.add_argument("--rounds", type=int, default=7, help="runs of each program for memory and time")
    costing.add_argument("--most-instructions", type=float, default=1.01)
    costing.add_argument("--most-memory", type=float, default=1.02)
    costing.set_defaults(run=cost)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
