#!/usr/bin/env python3
"""complete.py [--tree TREE] PAGE...

Every command line of a document is run. PAGEs are what run.py runs as tests, "help" among them. Looks through README.md
and all pages of docs/: a page with a fenced block has to be among the PAGEs, or each of its blocks has to have a reason
not to be run; an inline command line of the program (`tracebridge info trace.fxt`) has to be in a block that is run, or
be a pattern: its operands and values are capitals (`tracebridge merge A B`) or dots. A mention (`tracebridge merge`) is
no command line. Exit status 0 when all is so.
"""
import argparse
import pathlib
import re
import sys

import run

INLINE = re.compile(r"(?<!`)`(?:\$ )?(?:[./\w-]*/)?tracebridge ([^`\n]+)`(?!`)")
PATTERN = re.compile(r"^(?:[A-Z][A-Z0-9_.]*|…|\.\.\.)$")


def is_mention(words):
    return len(words) == 1 or words[0] in ("help", "--man") or all(word == "--help" for word in words[1:])


def is_pattern(words):
    """Whether what an option or the command is given is a placeholder, each of them."""
    values = [word.partition("=")[2] or word for word in words[1:] if not word.startswith("-") or "=" in word]
    return bool(values) and all(PATTERN.match(value) for value in values)


def outside_fences(text):
    lines, fence = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if fence:
            fence = None if line.rstrip() == fence else fence
        elif match := run.FENCE.match(line):
            fence = match[1]
        else:
            lines.append((number, line))
    return lines


def faults_of(page, text, is_test):
    blocks = run.blocks_of(text)
    ran = "\n".join(block.text for block in blocks if block.is_run and block.language)
    found = []
    if not is_test:
        found += [f"{page}:{block.line}: a block of a page that no test runs: name it in CMakeLists.txt"
                  for block in blocks if block.is_run and block.language]
    for number, line in outside_fences(text):
        for match in INLINE.finditer(line):
            words = match[1].split()
            if is_mention(words) or is_pattern(words) or (is_test and f"tracebridge {match[1]}" in ran):
                continue
            found.append(f"{page}:{number}: `tracebridge {match[1]}` is not run: put it into a block")
    return found


def main():
    options = argparse.ArgumentParser(usage="complete.py [--tree TREE] PAGE...")
    options.add_argument("pages", nargs="+")
    options.add_argument("--tree", type=pathlib.Path, default=run.TREE)
    given = options.parse_args()
    tests = {"help" if page == "help" else pathlib.Path(page).name for page in given.pages}
    faults = [] if "help" in tests else ["the examples of help are not run"]
    documents = [given.tree / "README.md", *sorted((given.tree / "docs").rglob("*.md"))]
    for document in documents:
        page = document.relative_to(given.tree)
        faults += faults_of(page, document.read_text(encoding="utf-8"), document.name in tests)
    print("\n".join(faults) or f"{len(documents)} documents: every command line is run")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
