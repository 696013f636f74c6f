#!/usr/bin/env python3
"""docs/merging/reference.md lists every note of a merge with its level, and no other, docs/VERIFY.md every finding.
note_codes.py [TREE]
"""
import os
import re
import sys

LISTS = [("bridge/include/tracebridge/merge.h", "docs/merging/reference.md"),
         ("bridge/include/tracebridge/verify.h", "docs/VERIFY.md")]
NOTE = re.compile(r'^\s*X\(\w+, (WARNING|INFO|ERROR), "(\w+)"\)', re.M)
ROW = re.compile(r"^\| `(\w+)` \| (warning|info|error) \| .+ \|$", re.M)


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def faults(header, page):
    notes = [(code, level.lower()) for level, code in NOTE.findall(read(header))]
    rows = ROW.findall(read(page))
    bad = [f"{page} has no row {code}, {level}" for code, level in notes if (code, level) not in rows]
    bad += [f"{page} has a row {code}, {level}, which {header} has not" for code, level in rows
            if (code, level) not in notes]
    bad += [f"{page} has {code} twice" for code in {code for code, _ in rows} if [c for c, _ in rows].count(code) > 1]
    return bad if notes else [f"{header}: no list of notes"]


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    bad = [fault for header, page in LISTS for fault in faults(header, page)]
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


sys.exit(main())
