#!/usr/bin/env python3
"""docs/merging/reference.md lists every note of a merge with its level, and no other. note_codes.py [TREE]"""
import os
import re
import sys

HEADER = "bridge/include/tracebridge/merge.h"
PAGE = "docs/merging/reference.md"
NOTE = re.compile(r'^\s*X\(\w+, (WARNING|INFO), "(\w+)"\)', re.M)
ROW = re.compile(r"^\| `(\w+)` \| (warning|info) \| .+ \|$", re.M)


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    notes = [(code, level.lower()) for level, code in NOTE.findall(read(HEADER))]
    rows = ROW.findall(read(PAGE))
    bad = [f"{PAGE} has no row {code}, {level}" for code, level in notes if (code, level) not in rows]
    bad += [f"{PAGE} has a row {code}, {level}, which {HEADER} has not" for code, level in rows
            if (code, level) not in notes]
    bad += [f"{PAGE} has {code} twice" for code in {code for code, _ in rows} if [c for c, _ in rows].count(code) > 1]
    if not notes:
        bad.append(f"{HEADER}: no list of notes")
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


sys.exit(main())
