#!/usr/bin/env python3
"""columns.py [ROOT]: no line of C, CMake, Python, shell, JavaScript and Markdown is past 120 columns, but for a line of
a trace in JSON in a shell script, which is data, and tables and fenced blocks in Markdown; and no declaration is
broken by the comment behind it, which belongs above it:
    size_t
        memory_budget; /* what it means, at length */"""
import re
import subprocess
import sys
from pathlib import Path

COLUMNS = 120
CHECKED = ("*.c", "*.h", "*.cpp", "*CMakeLists.txt", "*.cmake", "*.py", "*.sh", "*.mjs", "*.md")
TRACE = re.compile(r'\\?"(ph|traceEvents|metadata|stackFrames|fxt_blob)\\?": ?\S')
TYPE = re.compile(r"\s*(?:\w+ )*\w+ ?\**")
NAME_AND_COMMENT = re.compile(r"\s+\**\w+[^(]*[;,].*/\*")


def indent(line):
    return len(line) - len(line.lstrip())


def is_broken(line, following):
    return (line.strip() and TYPE.fullmatch(line) and NAME_AND_COMMENT.match(following)
            and indent(following) > indent(line))


def spared(path, lines):
    """Whether each line may be of any length."""
    fenced = False
    for line in lines:
        fence = path.suffix == ".md" and line.lstrip().startswith("```")
        fenced ^= fence
        yield (fenced or (path.suffix == ".md" and line.lstrip().startswith("|"))
               or (path.suffix == ".sh" and TRACE.search(line)))


def complaints(path):
    lines = path.read_text(errors="surrogateescape").split("\n")
    for number, (line, spare) in enumerate(zip(lines, spared(path, lines)), 1):
        if len(line) > COLUMNS and not spare:
            yield f"{path}:{number}: {len(line)} columns"
    if path.suffix in (".c", ".h"):
        for number, pair in enumerate(zip(lines, lines[1:]), 1):
            if is_broken(*pair):
                yield f"{path}:{number}: a declaration is broken by its comment: put the comment above"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    names = subprocess.check_output(["git", "-C", root, "ls-files", "-co", "--exclude-standard", *CHECKED], text=True)
    found = [c for name in names.split("\n") if name for c in complaints(root / name)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
