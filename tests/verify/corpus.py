#!/usr/bin/env python3
"""corpus.py PROGRAM [--times] [--update]: what verify finds in the traces of the folder TRACEBRIDGE_CORPUS is what
known.txt says, line by line: FILE CODE COUNT OFFSET. --times compares the time with that of info. --update writes the
lines, and keeps the reasons.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
KNOWN = HERE / "known.txt"
ENDS = re.compile(r"\.(json|gz|pftrace|perfetto-trace|pb|fxt|html|ftrace|txt|systrace|trace|zst)$")


def verify(program, trace):
    done = subprocess.run([program, "verify", "-q", "--json", trace], capture_output=True, check=False)
    return json.loads(done.stdout) if done.stdout else None


def seconds(program, command, trace):
    """Of the processor, which a busy machine changes least."""
    best = 1e9
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, command, "-q", trace], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def reasons():
    """The reason of each code, which stands in known.txt in front of its lines."""
    found, reason = {}, ""
    for line in KNOWN.read_text().splitlines() if KNOWN.exists() else []:
        if line.startswith("# "):
            reason = line
        elif line:
            found.setdefault(line.split()[1], reason)
    return found


def main():
    program, flags = os.path.abspath(sys.argv[1]), set(sys.argv[2:])
    corpus = pathlib.Path(os.environ["TRACEBRIDGE_CORPUS"])
    lines, both = [], [0.0, 0.0]
    for trace in sorted(path for path in corpus.rglob("*") if path.is_file() and ENDS.search(path.name)):
        found = verify(program, trace)
        if found is None:
            continue
        name = str(trace.relative_to(corpus)).replace(" ", "_")
        lines += [f"{name} {finding['code']} {finding['count']} {finding.get('first_offset', '-')}"
                  for finding in found["findings"]]
        if "--times" in flags and trace.stat().st_size > 1 << 20:
            took = [seconds(program, command, trace) for command in ("verify", "info")]
            both = [sum(pair) for pair in zip(both, took)]
            print(f"{took[0] / took[1]:5.2f} x info  {name}")
    if "--times" in flags:
        print(f"{both[0] / both[1]:5.2f} x info, all together")
    if "--update" in flags:
        why, text = reasons(), []
        for code in sorted({line.split()[1] for line in lines}):
            text += [why.get(code) or "# ?", *[line for line in lines if line.split()[1] == code], ""]
        KNOWN.write_text("\n".join(text))
    known = [line for line in KNOWN.read_text().splitlines() if line and not line.startswith("#")]
    unknown, gone = sorted(set(lines) - set(known)), sorted(set(known) - set(lines))
    print("\n".join([*(f"not known: {line}" for line in unknown), *(f"not found: {line}" for line in gone),
                     f"{len(lines)} findings, {len(unknown) + len(gone)} faults"]))
    return bool(unknown or gone) or not lines


sys.exit(main())
