#!/usr/bin/env python3
"""How many functions one event more enters: a measure of how far its way is to read.

run.py [--build DIR] [--show]

Builds the program with -finstrument-functions and without inlining (in DIR, build-entered), runs it on EVENTS events
and on twice as many, one thread, and takes the difference. A function counts where at least every second event enters
it, so that what happens once a buffer does not. --show lists them, in the order of how often they are entered.

Prints for each way the functions, how many we aim at, their lines, and the entries; nothing fails.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HERE = os.path.dirname(os.path.abspath(__file__))
EVENTS = 4000
OPTIONS = "-g1 -O1 -fno-inline -fno-ipa-icf -finstrument-functions"
AIMS = {"JSON X event to packet": 50, "packet to JSON line": 45, "packet through merge": 30}


def build(folder):
    """The program, with the names of its functions, and the library that counts."""
    done = subprocess.run(
        ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DBUILD_TESTING=OFF",
         f"-DCMAKE_C_FLAGS_DEBUG={OPTIONS}"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    subprocess.run(["cmake", "--build", folder, "--target", "tracebridge"], stdout=subprocess.DEVNULL, check=True)
    library = f"{folder}/count_entries.so"
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", "-shared", "-fPIC", f"{HERE}/count_entries.c", "-o",
                    library], check=True)
    return f"{folder}/tracebridge", library


def names_of(program):
    """By address the name of a function and the line that defines it: a header's has an address in each file that uses
    it, and static ones of several files may have one name."""
    listed = subprocess.run(["nm", "--defined-only", "-l", program], capture_output=True, text=True, check=True).stdout
    lines = (line.split(maxsplit=3) for line in listed.splitlines())
    return {int(line[0], 16): (line[2], line[-1]) for line in lines if line[1] in "tT"}


def length_of(place):
    """The lines of a function that begins at PATH:LINE; in our style nothing else ends with a brace at the margin."""
    path, colon, first = place.rpartition(":")
    if not colon:
        return 0
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")[int(first) - 1:]
    return next(i for i, line in enumerate(lines, 1) if line.endswith("}") and not line.startswith(" "))


def entered(program, library, names, arguments):
    with tempfile.NamedTemporaryFile("r") as counts:
        subprocess.run([program, *arguments], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "LD_PRELOAD": library, "ENTERED": counts.name})
        functions = collections.Counter()
        for offset, count in (line.split() for line in counts):
            functions[names[int(offset, 16)]] += int(count)
        return functions


def make_json(path, count):
    events = [{"ph": "X", "name": f"work {i % 50}", "cat": "test", "ts": 10 * i, "dur": 5, "pid": 7, "tid": 8 + i % 4,
               "args": {"size": i}} for i in range(count)]
    with open(path, "w", encoding="ascii") as file:
        json.dump({"traceEvents": events}, file)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=f"{ROOT}/build-entered")
    options.add_argument("--show", action="store_true")
    options = options.parse_args()
    program, library = build(os.path.abspath(options.build))
    names = names_of(program)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        runs = []
        for count in (EVENTS, 2 * EVENTS):
            make_json(f"{count}.json", count)
            to_perfetto = ["convert", "-q", "-j1", f"{count}.json", "-o", f"{count}.pftrace"]
            to_json = ["convert", "-q", "-j1", f"{count}.pftrace", "-o", "back.json"]
            merge = ["merge", "-q", "-j1", f"{count}.pftrace", "-o", "merged.pftrace"]
            runs.append([entered(program, library, names, way) for way in (to_perfetto, to_json, merge)])
    print(f"{'way':<24}{'functions':>10}{'aim':>5}{'lines':>7}{'entries an event':>18}")
    for way, few, many in zip(AIMS, *runs):
        more = {name: (count - few[name]) / EVENTS for name, count in many.items()}
        taken = {name: entries for name, entries in more.items() if entries >= 0.5}
        lines = sum(length_of(place) for _, place in taken)
        print(f"{way:<24}{len(taken):>10}{AIMS[way]:>5}{lines:>7}{sum(taken.values()):>18.1f}")
        for name, entries in sorted(taken.items(), key=lambda pair: (-pair[1], pair[0])) if options.show else ():
            print(f"    {entries:8.2f}  {name[0]:<36}{os.path.basename(name[1])}")


if __name__ == "__main__":
    main()
