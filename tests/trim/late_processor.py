#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""late_processor.py TRACEBRIDGE: marks of the kernel are paired before the rest is read, up to the time up to which
those of all processors were read. A processor that comes only behind that, with earlier events, changes nothing: what
trim and filter make of a trace is what they make of it with that processor in front."""
import os
import re
import subprocess
import sys
import tempfile

BUNDLES, MARKS = 40, 2000  # of each of two processors; marks of a bundle


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def mark(time, thread, text):
    return message(2, number(1, time) + number(2, thread) + message(3, message(2, text.encode())))


def bundle(cpu, marks):
    return message(1, message(1, number(1, cpu) + b"".join(marks)))


def filler(cpu, index):
    first = 1000 + index * 2 * MARKS
    return bundle(cpu, [mark(first + 2 * i, 10 + cpu, "E|7\n" if i % 2 else "B|7|filler\n") for i in range(MARKS)])


FRONT = bundle(0, [
    mark(100, 1, "B|7|outer\n"), mark(102, 2, "B|7|long\n"), mark(104, 2, "B|7|short\n"), mark(800, 1, "E|7\n"),
    mark(802, 2, "E|7\n")
])
OTHER = bundle(2, [mark(200, 1, "B|7|inner\n"), mark(204, 2, "E|7\n"), mark(600, 1, "E|7\n")])
REST = b"".join(filler(cpu, i) for i in range(BUNDLES) for cpu in (0, 1))


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: %d\n%s%s" % (" ".join(arguments), done.returncode, done.stdout, done.stderr))
    return done.stdout


def main():
    program = os.path.abspath(sys.argv[1])
    ways = [  # with the slices that are left
        (("trim", "--start", "400ns", "--end", "2us"), {"outer", "inner", "long", "filler"}),
        (("filter", "--min-dur", "300ns"), {"outer", "inner", "long"}),
        (("filter", "--name", "!long"), {"outer", "inner", "short", "filler"}),
    ]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, data in (("early", OTHER + FRONT + REST), ("late", FRONT + REST + OTHER)):
            with open(name + ".pftrace", "wb") as file:
                file.write(data)
        for way, expected in ways:
            for name in ("early", "late"):
                run(program, *way, name + ".pftrace", "-o", name + ".out.pftrace")
            run(program, "diff", "early.out.pftrace", "late.out.pftrace")
            names = set(re.findall(r'"B\|7\|(\w+)', run(program, "dump", "late.out.pftrace")))
            if names != expected:
                sys.exit("%s: slices %s" % (" ".join(way), sorted(names)))
    print("%d marks, one processor late: %d ways the same" % (2 * BUNDLES * MARKS, len(ways)))


main()
