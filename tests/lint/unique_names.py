#!/usr/bin/env python3
"""Each struct, union, enum and non-static function is defined once in the sources. unique_names.py [TREE]

A name that is two things in two folders defeats readers, tags and debuggers, even where no file can include both.
"""
import os
import re
import subprocess
import sys
from collections import defaultdict

# A name, and the files that may each define it.
TWICE = {
    # One of the two is compiled: isa-l's where it is installed, else zlib's.
    "struct tb_inflater": {"bridge/io/inflate_isal.c", "bridge/io/inflate_zlib.c"},
}
# Whose functions are the same on purpose: the build takes one of each pair.
ALTERNATIVES = {"bridge/io/inflate_isal.c", "bridge/io/inflate_zlib.c",
                "bridge/io/archive_libarchive.c", "bridge/io/archive_none.c"}
TYPE = re.compile(r"\b(struct|union|enum)\s+(\w+)\s*\{")
FUNCTION = re.compile(r"^(?!static\b|typedef\b|return\b|else\b|extern\b|#)[A-Za-z_][^;={}()]*?[\s*](\w+)\(", re.M)


def files(tree):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-co", "--exclude-standard", "bridge", "merge",
                             "toolbox", "cli"],
                            capture_output=True, text=True, check=True).stdout.split()
    return [f for f in listed if f.endswith((".c", ".h")) and os.path.exists(f"{tree}/{f}")]


def without_comments(text):
    """The text with comments and strings emptied, lines kept."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: "\n" * m.group().count("\n") or '""', text, flags=re.S)


def end_of_parameters(text, at):
    depth = 0
    while at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    return at


def definitions(text):
    """Names of types and functions that the file defines; static functions are the file's own affair."""
    for kind, name in TYPE.findall(text):
        yield f"{kind} {name}"
    for found in FUNCTION.finditer(text):
        behind = text[end_of_parameters(text, found.end() - 1):].lstrip()
        if behind.startswith("{"):
            yield f"{found.group(1)}()"


def main(tree):
    where = defaultdict(list)
    for file in files(tree):
        with open(f"{tree}/{file}", encoding="utf-8") as text:
            for name in definitions(without_comments(text.read())):
                where[name].append(file)
    faults = []
    for name, places in sorted(where.items()):
        if len(places) == 1 or set(places) <= TWICE.get(name, set()):
            continue
        if name.endswith("()") and set(places) <= ALTERNATIVES:
            continue
        faults.append(f"{name} is defined {len(places)} times: {', '.join(places)}")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../..")))
