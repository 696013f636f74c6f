#!/usr/bin/env python3
"""abi.py [--update] [--cc CC] INCLUDE LIBRARY RECORD: whether the interface is the one that RECORD has.

A line for each symbol that the shared library exports, with its version; for each declaration of the headers of
INCLUDE/tracebridge, without comments; and for each public struct that is no opaque one, with its size and the offsets
of its members. A line that RECORD has and the library has not is a break: programs that were built before would go
wrong, and the soname counts up (docs/LIBRARY.md). One that is new has to be recorded, by --update.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def source(include):
    names = sorted(n for n in os.listdir(os.path.join(include, "tracebridge")) if n.endswith(".h"))
    return "".join(f"#include <tracebridge/{name}>\n" for name in names)


def declarations(cc, include):
    """What is between the semicolons of the outermost level, of our headers alone; and functions in line."""
    text, ours = [], False
    for line in run(cc, "-std=c11", "-E", f"-I{include}", "-", text=source(include)).splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = marker.group(1).startswith(os.path.join(include, "tracebridge"))
        elif ours:
            text.append(line)
    found, depth, start = [], 0, 0
    text = re.sub(r"__attribute__ ?\(\((?:[^()]|\([^()]*\))*\)\)", "", " ".join(text))
    text = re.sub(r"\s+", " ", text)
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        is_function = c == "}" and text[start:i].lstrip().startswith("static inline ")
        if depth == 0 and (c == ";" or is_function):
            found.append(text[start:i + is_function].strip())
            start = i + 1
    return found


def members(body):
    """Names of a struct's own members, those of unions without a name too."""
    body = re.sub(r"union \{([^{}]*)\}\s*;", r"\1", body)
    names = []
    for part in body.split(";"):
        part = re.sub(r"\([^()]*\)$", "", part.strip())  # a function's arguments
        for piece in part.split(","):
            name = re.search(r"(\w+)\)?(?:\[[^\]]*\])?$", piece.strip())
            if name:
                names.append(name.group(1))
    return names


def layouts(cc, include, lines):
    structs = [(m.group(1), members(m.group(2))) for m in
               (re.fullmatch(r"struct (\w+) \{(.*)\}", line) for line in lines) if m]
    code = ["#include <stdio.h>", source(include), "int main(void) {"]
    for name, names in structs:
        code.append(f'printf("layout {name} %zu:", sizeof(struct {name}));')
        code += [f'printf(" {n} %zu", offsetof(struct {name}, {n}));' for n in names]
        code.append('printf("\\n");')
    code.append("}")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "layouts")
        run(cc, "-std=c11", f"-I{include}", "-x", "c", "-", "-o", program, text="\n".join(code))
        return run(program).splitlines()


def symbols(library):
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    return sorted(f"symbol {line.split()[2]}" for line in lines if line.split()[2].startswith("tb_"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("include")
    parser.add_argument("library")
    parser.add_argument("record")
    options = parser.parse_args()
    lines = declarations(options.cc, options.include)
    now = symbols(options.library) + sorted(set(lines)) + layouts(options.cc, options.include, lines)
    if options.update:
        with open(options.record, "w", encoding="utf-8") as file:
            file.write("\n".join(now) + "\n")
        return 0
    with open(options.record, encoding="utf-8") as file:
        recorded = file.read().splitlines()
    for line in recorded:
        if line not in now:
            print(f"gone or changed: {line[:300]}")
    for line in now:
        if line not in recorded:
            print(f"not recorded: {line[:300]}")
    if set(now) == set(recorded):
        return 0
    print("docs/LIBRARY.md says when the soname counts up; tests/install/abi.py --update records what is new")
    return 1


sys.exit(main())
