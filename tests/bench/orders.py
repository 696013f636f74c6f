#!/usr/bin/env python3
"""What the order costs in which slices come, for each order of orders_generate.py.

orders.py PROGRAM [options]

A line for each pair of formats, number of tracks, and order:

  cpu       CPU seconds with --memory (user and system, one thread, the least of --rounds)
  ordered   these as a multiple of the ordered case of as many events and tracks
  for all   and of the same run with memory for all
  spill     bytes in temporary files as a multiple of the input
  peak      peak memory in MB
  allowed   what is allowed of it: --memory, 64 MB and 200 bytes a track
  a track   bytes of it for each track: what it takes more than with the first number of --tracks
  default   peak memory where --memory is not given: 64 MB, 64 MB and 200 bytes a track where the order is one that
            needs no sorting; half of the machine's memory is a bound for the others, and not judged

What is over its limit is marked: 3, 1.5, 2, and the memory as above. With --check the exit status is 1 then.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import orders_generate

PAIRS = ("json:pftrace", "json:fxt", "fxt:pftrace", "fxt:json", "pftrace:json", "pftrace:fxt")
NEEDS_NO_SORTING = ("ordered", "children", "interleaved")
MIB = 1 << 20
FIXED, A_TRACK = 64 * MIB, 200
TIMES_ORDERED, TIMES_FOR_ALL, TIMES_INPUT = 3, 1.5, 2
FOR_ALL = "1000G"


class Run:
    """The least of several runs. By way of `time`: Python's own memory would count as the child's."""

    def __init__(self, args, source, output, memory):
        self.cpu, self.peak = float("inf"), 0
        report = f"{args.work}/report.json"
        call = [args.program, "convert", source, "-o", output, "-q", "-j1", "--report", report]
        call += ["--memory", memory] if memory else []
        for _ in range(args.rounds):
            peak = f"{args.work}/peak"
            timed = ["/usr/bin/time", "-q", "-f", "%M", "-o", peak, *call]
            used = os.wait4(os.posix_spawn(timed[0], timed, {"LC_ALL": "C", "TMPDIR": args.work}), 0)
            status = os.waitstatus_to_exitcode(used[1])
            if status not in (0, 4):
                sys.exit(f"orders: {' '.join(call)}: status {status}")
            self.cpu = min(self.cpu, used[2].ru_utime + used[2].ru_stime)
            with open(peak, encoding="ascii") as file:
                self.peak = max(self.peak, int(file.read()) * 1024)
        with open(report, encoding="utf-8") as file:
            self.spilled = json.load(file)["spilled_bytes"]
        os.remove(output)


def marked(text, over, width):
    return f"{text}{'!' if over else ' '}".rjust(width)


def size_of(text):
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]]


class Line:
    def __init__(self, args, path, pair, tracks, order):
        self.order, self.pair, self.tracks = order, pair, tracks
        self.bytes = os.path.getsize(path)
        output = f"{args.work}/out.{pair.split(':')[1]}"
        self.bounded = Run(args, path, output, args.memory)
        self.for_all = Run(args, path, output, FOR_ALL)
        self.default = Run(args, path, output, None)
        self.most_peak = size_of(args.memory) + FIXED + A_TRACK * tracks
        self.most_default = 64 * MIB + FIXED + A_TRACK * tracks

    def show(self, ordered, few_tracks):
        """Prints the line; returns how many limits it breaks."""
        figures = [
            (self.bounded.cpu / ordered.bounded.cpu, "7.2f", TIMES_ORDERED, 9),
            (self.bounded.cpu / self.for_all.cpu, "7.2f", TIMES_FOR_ALL, 9),
            (self.bounded.spilled / self.bytes, "6.2f", TIMES_INPUT, 8),
            (self.bounded.peak / MIB, "6.0f", self.most_peak / MIB, 8)]
        shown = [marked(format(value, form), value > most, width) for value, form, most, width in figures]
        over = sum(value > most for value, _, most, _ in figures)
        default_over = self.order in NEEDS_NO_SORTING and self.default.peak > self.most_default
        tracks = self.tracks - few_tracks.tracks
        a_track = f"{(self.bounded.peak - few_tracks.bounded.peak) / tracks:.0f}" if tracks > 0 else ""
        print(f"{self.pair:13}{self.tracks:8} {self.order:12}{self.bounded.cpu:8.2f}{''.join(shown)}"
              f"{self.most_peak / MIB:9.0f}{a_track:>9}"
              f"{marked(f'{self.default.peak / MIB:.0f}', default_over, 9)}", flush=True)
        return over + default_over


def make_input(args, source, order, tracks):
    """The path of a trace. A process of its own makes it, whose memory is freed at its end."""
    events = max(args.events, tracks)
    path = f"{args.inputs or args.work}/{order}-{events}-{tracks}.{source}"
    if not os.path.exists(path):
        subprocess.run([sys.executable, orders_generate.__file__, order, source, str(events), str(tracks), path],
                       check=True)
    return path


def measure_source(args, source, targets):
    """All lines of one source; returns how many limits they break."""
    over, few_tracks = 0, {}
    for tracks in map(int, args.tracks.split(",")):
        ordered = {}
        for order in orders_generate.orders_of(source):
            if order != "ordered" and order not in args.orders.split(","):
                continue
            path = make_input(args, source, order, tracks)
            for target in targets:
                line = Line(args, path, f"{source}:{target}", tracks, order)
                ordered.setdefault(target, line)
                over += line.show(ordered[target], few_tracks.setdefault((target, order), line))
            if not args.inputs:
                os.remove(path)
    return over


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--events", type=int, default=400000, help="slices (%(default)s), at least one on each track")
    parser.add_argument("--tracks", default="16,100000,1000000", help="numbers of tracks (%(default)s)")
    parser.add_argument("--pairs", default=",".join(PAIRS), help="formats (%(default)s)")
    parser.add_argument("--orders", default=",".join(orders_generate.ORDERS), help="orders (%(default)s)")
    parser.add_argument("--memory", default="4M", help="the budget (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each (%(default)s)")
    parser.add_argument("--inputs", help="a folder that keeps the traces, and has those of an earlier run")
    parser.add_argument("--check", action="store_true", help="status 1 where a figure is over its limit")
    args = parser.parse_args()
    over = 0
    print(f"{'':13}{'tracks':>8} {'order':12}{'cpu':>8}{'ordered':>9}{'for all':>9}{'spill':>8}{'peak':>8}"
          f"{'allowed':>9}{'a track':>9}{'default':>9}", flush=True)
    pairs = [pair.split(":") for pair in args.pairs.split(",")]
    with tempfile.TemporaryDirectory() as args.work:
        for source in dict.fromkeys(source for source, _ in pairs):
            over += measure_source(args, source, [target for of, target in pairs if of == source])
    print(f"orders: {over} figures are over their limits")
    return 1 if over and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
