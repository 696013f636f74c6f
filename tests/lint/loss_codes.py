#!/usr/bin/env python3
"""Each reason for a loss, and each note, of the library's sources has a code other than "other", by a phrase of
bridge/base/losses.c; docs/LIBRARY.md lists every code, and no other. loss_codes.py [TREE]
"""
import glob
import os
import re
import sys

HEADER, KINDS, PAGE = "bridge/include/tracebridge/base.h", "bridge/base/losses.c", "docs/LIBRARY.md"
CALL = re.compile(r"\b(?:tb_)?(?:\w+_)?(?:lose(?:_event)?|losses_add(?:_kind)?|count_loss|reader_note|malformed)\(")
CONSTANT = re.compile(r'\b(?:TB_)?(?:\w+_)?(?:LOSS|NOTE)_[A-Z_]+(?:\[\] =)?\s+((?:"(?:[^"\\]|\\.)*"\s*)+)')
TEXT = re.compile(r'((?:"(?:[^"\\]|\\.)*"\s*)+)')
WITH_KIND = {"in a blob of FXT"}  # the reason of what is in it follows
NO_REASON = {"unknown", "others"}  # kinds of a reason


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def joined(text):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def arguments(text, start):
    """From the parenthesis at `start` to its match."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[start:i]
    return ""


def reasons(text):
    found = [joined(m.group(1)) for m in CONSTANT.finditer(text)]
    for call in CALL.finditer(text):
        found += [joined(m.group(1)) for m in TEXT.finditer(arguments(text, call.end() - 1))]
    return found


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    phrases = re.findall(r'\{"(.+?)", TB_LOSS_\w+\}', read(KINDS))
    codes = re.findall(r'^  X\(\w+, "(\w+)"\)', read(HEADER).split("TB_LOSS_LIST(X)")[1].split("enum")[0], re.M)
    rows = re.findall(r"^\| `(\w+)` \|", read(PAGE).split("| code |")[1].split("\n\n")[0], re.M)
    sources = [name for tree in ("bridge", "merge", "toolbox")
               for name in sorted(glob.glob(f"{tree}/**/*.[ch]", recursive=True))]
    found = [(name, reason) for name in sources for reason in reasons(read(name))]
    bad = [f"{name}: no phrase of {KINDS} is in: {reason}" for name, reason in found
           if reason not in WITH_KIND | NO_REASON and not any(phrase in reason for phrase in phrases)]
    bad += [f"{PAGE} does not list {code}" for code in codes if rows.count(code) != 1]
    bad += [f"{PAGE} lists {row}, which {HEADER} has not" for row in rows if row not in codes]
    if len(found) < 90 or not codes:
        bad.append(f"only {len(found)} reasons and {len(codes)} codes were found")
    print("\n".join(bad), end="\n" if bad else "")
    return bool(bad)


sys.exit(main())
