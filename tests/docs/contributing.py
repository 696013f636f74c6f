#!/usr/bin/env python3
"""contributing.py PROGRAM [NODE]: runs the command lines of CONTRIBUTING.md, from the tree that it is in.

PROGRAM stands for build/tracebridge. What builds, fuzzes or measures for minutes is not run: of it, the files, presets,
targets and cases have to be there. A line that is none of LINES fails, so that a new one gets its test.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def command_lines():
    with open(f"{ROOT}/CONTRIBUTING.md", encoding="utf-8") as page:
        blocks = re.findall(r"^```sh\n(.*?)^```", page.read(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def presets(kind):
    with open(f"{ROOT}/CMakePresets.json", encoding="utf-8") as file:
        return {preset["name"]: preset for preset in json.load(file)[kind]}


def run(command, cwd=ROOT, **environment):
    done = subprocess.run(command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"contributing: {shlex.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def is_there(path):
    if not os.access(f"{ROOT}/{path}", os.X_OK):
        sys.exit(f"contributing: {path} is no program")


def builds(line, _):
    """Its presets are there."""
    for kind, pattern in (("configurePresets", r"cmake --preset (\S+)"), ("testPresets", r"ctest --preset (\S+)")):
        for name in re.findall(pattern, line):
            if name not in presets(kind):
                sys.exit(f"contributing: there is no preset {name}: {line}")
    for folder in re.findall(r"cmake --build (\S+)", line):
        if not any(p.get("binaryDir") == "${sourceDir}/" + folder for p in presets("configurePresets").values()):
            sys.exit(f"contributing: no preset builds in {folder}: {line}")


def takes_golden(line, program):
    """In a copy of the case: the output that it takes is the one that is there."""
    script, _, case = shlex.split(line)[1:]
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(f"{ROOT}/tests/golden", f"{work}/golden")
        os.symlink(f"{ROOT}/tests/data", f"{work}/data")
        copy = f"{work}/{os.path.relpath(case, 'tests')}"
        run([f"{work}/{os.path.relpath(script, 'tests')}", program, copy], GOLDEN_UPDATE="1")
        for end in ".stdout", ".stderr":
            if os.path.exists(f"{ROOT}/{case[:-3]}{end}"):
                run(["cmp", f"{ROOT}/{case[:-3]}{end}", f"{copy[:-3]}{end}"])


def compares(line, program):
    """On a trace of a few events, where there is Node."""
    words = shlex.split(line)
    is_there(words[0])
    if len(sys.argv) < 3:
        return
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/trace.json", "w", encoding="utf-8") as trace:
            trace.write('[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]')
        print(run([sys.argv[2], f"{ROOT}/{words[0]}", program, *words[2:]], cwd=work), end="")


def fuzzes(line, _):
    """The target that it names is one that the script knows."""
    script, seconds, target = shlex.split(line)
    is_there(script)
    with open(f"{ROOT}/{script}", encoding="utf-8") as file:
        if not seconds.isdigit() or not re.search(rf"\b{target}\b", file.read()):
            sys.exit(f"contributing: there is no target {target}: {line}")


def benches(line, _):
    script, option, pattern = shlex.split(line)
    is_there(script)
    with open(f"{ROOT}/tests/bench/cases.c", encoding="utf-8") as file:
        if option != "--only" or f'"{pattern.rstrip("*")}' not in file.read():
            sys.exit(f"contributing: there is no case {pattern}: {line}")


def measures(line, program):
    """With few events."""
    script, _, *options = shlex.split(line)
    is_there(script)
    few = ["--events", "200", "--rounds", "1", "--orders", "random"]
    print(run([f"{ROOT}/{script}", program, *options, *few]), end="")


LINES = {"cmake ": builds, "GOLDEN_UPDATE=1 tests/golden/run_case.sh ": takes_golden,
         "tests/conformance/run.mjs ": compares, "tests/fuzz/run.sh ": fuzzes, "tests/bench/run.sh ": benches,
         "tests/bench/orders.py ": measures}


def main():
    program, met = os.path.abspath(sys.argv[1]), set()
    for line in command_lines():
        line = re.sub(r"\s+#.*", "", line)
        check = next((LINES[start] for start in LINES if line.startswith(start)), None)
        if not check:
            sys.exit(f"contributing: a line that no test knows: {line}")
        met.add(check)
        check(line, program)
        print(f"good: {line}", flush=True)
    return 0 if met == set(LINES.values()) else "contributing: a check that no line needs any more"


if __name__ == "__main__":
    sys.exit(main())
