#!/usr/bin/env python3
"""packet_kinds.py PROGRAM PAGE [--counts] TRACE-OR-FOLDER...

Which packets a reader in the one shape gives as packets, and not as events, as the PROGRAM kinds_read prints them: PAGE
has them in the table below "Packets that stay packets". Each kind that some of the Perfetto traces shows so has to be
in it. With --counts the numbers of the table are those of traces that have the kind so, the most first, and so are
those of the table below "Events of the kernel", which has the kinds of five traces and more. Exit status 0 when all is
so.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

PACKETS, KERNEL = "Packets that stay packets", "Events of the kernel"
KIND = re.compile(r"`(\w+)`(?: (\d+))?")
MANY = 5  # traces that have a kind of the kernel's events which the page names


def kinds_of_page(page, heading):
    text = pathlib.Path(page).read_text()
    if f"## {heading}\n" not in text:
        sys.exit(f"{page}: there is no '## {heading}'")
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
    return [(kind, int(count or 0)) for cell in cells for kind, count in KIND.findall(cell)]


def traces_of(places):
    for place in map(pathlib.Path, places):
        found = [place] if place.is_file() else sorted(place.rglob("*"))
        yield from (path for path in found if path.suffix in (".pftrace", ".perfetto-trace"))


def kinds_of_trace(program, trace):
    """Pairs of "packets" or "instant" and the kind."""
    run = subprocess.run([program, trace], capture_output=True, text=True, errors="replace")
    return {tuple(line.split(" ", 1)) for line in run.stdout.splitlines()}


def faults_of_counts(listed, seen):
    for kind, count in listed:
        if seen[kind] != count:
            yield f"{kind} is of {seen[kind]} traces, not of {count}"
    for before, after in zip(listed, listed[1:]):
        if after[1] > before[1]:
            yield f"{after[0]} is behind {before[0]}"


def faults_of_lack(listed, seen, least):
    for kind in sorted(seen.keys() - dict(listed).keys()):
        if seen[kind] >= least:
            yield f"{kind}, of {seen[kind]} traces, is not in the table"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("page")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("places", nargs="+")
    args = parser.parse_args()
    seen = {"packets": collections.Counter(), "instant": collections.Counter()}
    for trace in traces_of(args.places):
        for what, kind in kinds_of_trace(args.program, trace):
            seen[what][kind] += 1
    listed = kinds_of_page(args.page, PACKETS)
    faults = list(faults_of_lack(listed, seen["packets"], 1))
    if not seen["packets"]:
        faults.append("no trace has a packet that stays one")
    if args.counts:
        kernel = kinds_of_page(args.page, KERNEL)
        faults += faults_of_lack(kernel, seen["instant"], MANY)
        faults += [*faults_of_counts(listed, seen["packets"]), *faults_of_counts(kernel, seen["instant"])]
    for fault in faults:
        print(f"{args.page}: {fault}", file=sys.stderr)
    print(f"{len(listed)} kinds in the table, {len(seen['packets'])} in the traces")
    return 1 if faults else 0


sys.exit(main())
