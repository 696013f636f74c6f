#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rates.py COUNT FILE...: events a second of CPU time, by a reader in C and by columns in Python, turn by turn."""
import subprocess
import sys
import time

import tracebridge

TURNS = 7


def columns(path):
    start = time.process_time()
    with tracebridge.open(path) as trace:
        count = sum(len(batch.ts) for batch in trace)
    return count, time.process_time() - start


def reader(count, path):
    words = subprocess.run([count, path], capture_output=True, text=True, check=True).stdout.split()
    return int(words[0]), float(words[1])


def main():
    print(f"{'file':30} {'events':>9} {'C Mev/s':>8} {'Python Mev/s':>12} {'ratio':>6}  (at least 0.7)")
    for path in sys.argv[2:]:
        in_c, in_python = [], []
        for _ in range(TURNS):
            in_c.append(reader(sys.argv[1], path))
            in_python.append(columns(path))
        if in_c[0][0] != in_python[0][0]:
            sys.exit(f"{path}: {in_c[0][0]} events, {in_python[0][0]} rows")
        best = [min(seconds for _, seconds in runs) for runs in (in_c, in_python)]
        rates = [in_c[0][0] / seconds / 1e6 for seconds in best]
        name = path.rsplit("/", 1)[-1]
        print(f"{name:30} {in_c[0][0]:9} {rates[0]:8.2f} {rates[1]:12.2f} {rates[1] / rates[0]:6.2f}")


main()
