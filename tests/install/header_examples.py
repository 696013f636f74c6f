#!/usr/bin/env python3
"""header_examples.py CC INCLUDE: the example that a public header opens with compiles, with its header alone.

The example is the last block of the comment that the header begins with, four columns further to the right.
"""
import os
import re
import subprocess
import sys


def example(path):
    with open(path, encoding="utf-8") as file:
        intro = file.read().split(" */\n")[0]
    block = intro.split("\n *\n")[-1].splitlines()
    return [line[2:] for line in block] if block and re.match(r" \* {5}\S", block[0]) else []


def main():
    cc, include = sys.argv[1:3]
    folder = os.path.join(include, "tracebridge")
    bad = 0
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".h")):
        lines = example(os.path.join(folder, name))
        if not lines:
            print(f"{name} opens without an example")
            bad += 1
            continue
        code = "\n".join([f"#include <tracebridge/{name}>", "#include <stdbool.h>", "#include <stdio.h>",
                          "int main(void);", "int main(void) {", *lines, "  return 0;", "}"])
        command = [cc, "-std=c11", "-Wall", "-Wextra", "-Wno-unused-but-set-variable", "-Wno-unused-variable",
                   "-Werror", f"-I{include}", "-fsyntax-only", "-x", "c", "-"]
        run = subprocess.run(command, input=code, capture_output=True, text=True)
        if run.returncode:
            print(f"the example of {name} does not compile:\n{run.stderr}")
            bad += 1
    return bool(bad)


sys.exit(main())
