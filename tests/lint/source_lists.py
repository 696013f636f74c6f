#!/usr/bin/env python3
"""source_lists.py [ROOT]: each C file of the sources and of tests/unit is named once in the CMakeLists.txt of its own
folder, in alphabetical order. A file that no list names is not built, and nobody notices."""
import re
import sys
from pathlib import Path

PLACES = ("bridge", "merge", "toolbox", "cli", "tests/unit")


def complaints(folder):
    there = sorted(path.name for path in folder.glob("*.c"))
    path = folder / "CMakeLists.txt"
    text = re.sub(r"#.*", "", path.read_text()) if path.exists() else ""
    named = re.findall(r"(?<![\w/.$}{])[\w-]+\.c(?![\w.])", text)
    for name in there:
        if named.count(name) != 1:
            yield f"{path}: {name} is named {named.count(name)} times"
    for name in sorted(set(named) - set(there)):
        yield f"{path}: {name} is not there"
    for block in re.split(r"[()]", text):
        names = re.findall(r"(?<![\w/.$}{])[\w-]+\.c(?![\w.])", block)
        if names != sorted(names):
            yield f"{path}: {' '.join(names)} are not in alphabetical order"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    bad = 0
    for place in PLACES:
        for folder in [root / place, *sorted(p for p in (root / place).rglob("*") if p.is_dir())]:
            for complaint in complaints(folder):
                print(complaint)
                bad = 1
    return bad


sys.exit(main())
