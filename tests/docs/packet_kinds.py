#!/usr/bin/env python3
"""packet_kinds.py PROGRAM PAGE [--counts] TRACE-OR-FOLDER...

Which packets a reader in the one shape gives as packets, and not as events: PAGE has them in the table below "Packets
that stay packets". Each kind that some of the Perfetto traces shows so has to be in it. With --counts the numbers of
the table are those of traces that have the kind so, the most first. Exit status 0 when all is so.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

HEADING = "## Packets that stay packets"
KIND = re.compile(r"`(\w+)`(?: (\d+))?")
PACKETS = re.compile(r'^@\d+ packets .*?name="([^"]*)"', re.MULTILINE)


def kinds_of_page(page):
    text = pathlib.Path(page).read_text()
    if HEADING not in text:
        sys.exit(f"{page}: there is no {HEADING!r}")
    section = text.split(HEADING, 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
    return [(kind, int(count or 0)) for cell in cells for kind, count in KIND.findall(cell)]


def traces_of(places):
    for place in map(pathlib.Path, places):
        found = [place] if place.is_file() else sorted(place.rglob("*"))
        yield from (path for path in found if path.suffix in (".pftrace", ".perfetto-trace"))


def kinds_of_trace(program, trace):
    run = subprocess.run([program, "dump", "--events", trace], capture_output=True, text=True, errors="replace")
    return {name for name in PACKETS.findall(run.stdout) if name}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("page")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("places", nargs="+")
    args = parser.parse_args()
    listed = kinds_of_page(args.page)
    seen = collections.Counter(kind for trace in traces_of(args.places)
                               for kind in kinds_of_trace(args.program, trace))
    missing = sorted(seen.keys() - dict(listed).keys())
    faults = [f"{kind}, of {seen[kind]} traces, is not in the table" for kind in missing]
    if not seen:
        faults.append("no trace has a packet that stays one")
    if args.counts:
        faults += [f"{kind} is of {seen[kind]} traces, not of {count}" for kind, count in listed if seen[kind] != count]
        pairs = zip(listed, listed[1:])
        faults += [f"{after[0]} is behind {before[0]}" for before, after in pairs if after[1] > before[1]]
    for fault in faults:
        print(f"{args.page}: {fault}", file=sys.stderr)
    print(f"{len(listed)} kinds in the table, {len(seen)} in the traces")
    return 1 if faults else 0


sys.exit(main())
