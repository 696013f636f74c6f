#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Slices that come in order are looked at as they come, others once their log is sorted, or as the shaper has them: all
find the same. A file is read the first or the second way, a pipe, which can be read once only, the third way."""
import json
import pathlib
import random
import subprocess
import sys

TRACES = 60
LOGGED = 1 << 19  # events, as in verify_events.c
KINDS = ["XXBEEi", "BE", "BEi", "XX", "XBEistf", "XXstf", "BEistf", "bne", "bneXBE", "XBEistfbneP"]


def make_event(choose, kinds, threads, span):
    phase = choose.choice(kinds)
    event = {"ph": phase, "pid": 1, "tid": choose.randint(1, threads), "ts": choose.randint(0, span)}
    if phase in "XBistfbne" or choose.random() < 0.3:
        event["name"] = "a" if phase in "stf" else choose.choice("ab")
    if phase in "bne":
        event["cat"] = "p"
    elif choose.random() < 0.2:
        event["cat"] = choose.choice("pq")
    if phase == "X":
        event["dur"] = choose.randint(-1 if choose.random() < 0.1 else 0, choose.choice([2, 6, 20]))
    if phase in "stfbne":
        event["id"] = choose.choice([1, 2, "x"])
    if phase == "f" and choose.random() < 0.6:
        event["bp"] = "e"
    if phase in "XBEi" and choose.random() < 0.1:
        event.update(bind_id=choose.randint(1, 2), flow_in=choose.random() < 0.6, flow_out=choose.random() < 0.6)
    return event


def make_trace(seed):
    """Few threads and times, so that much is at one time."""
    choose = random.Random(seed)
    kinds, threads, span = choose.choice(KINDS), choose.choice([1, 2]), choose.choice([4, 10, 40])
    events = [make_event(choose, kinds, threads, span) for _ in range(choose.randint(1, choose.choice([6, 14, 40])))]
    order = choose.random()
    if order < 0.7:
        events.sort(key=lambda event: event["ts"])
    elif order < 0.85:
        events.sort(key=lambda event: (event["tid"], event["ts"]))
    return "[\n" + ",\n".join(json.dumps(event) for event in events) + "\n]\n"


def make_late_trace():
    """The first event that is not in order comes when the log of those before it is given up: it is read again."""
    events = [f'{{"ph":"i","pid":1,"tid":1,"ts":{i},"name":"a"}}' for i in range(100, 100 + LOGGED)]
    events += [f'{{"ph":"X","pid":1,"tid":1,"ts":{i * 10},"dur":{12 + i % 5}}}' for i in reversed(range(20))]
    events += [f'{{"ph":"{phase}","pid":1,"tid":1,"ts":{ts},"cat":"p","name":"a","id":1}}'
               for phase, ts in (("b", 3), ("e", 9), ("e", 2), ("b", 4))]
    return "[" + ",".join(events) + "]"


def found(tool, path, data=None):
    done = subprocess.run([tool, "verify", "--json", path], input=data, capture_output=True, check=False)
    result = json.loads(done.stdout)
    del result["file"]
    return result


def main():
    tool, made = sys.argv[1], pathlib.Path(sys.argv[2])
    made.mkdir(parents=True, exist_ok=True)
    source = made / "order.json"
    differ, findings = 0, set()
    for seed in range(TRACES):
        source.write_text(make_trace(seed))
        others = [made / f"order.{suffix}" for suffix in ("pftrace", "fxt")]
        for other in others:
            subprocess.run([tool, "convert", "-q", str(source), "-o", str(other)], capture_output=True, check=False)
        for path in [source, *others]:
            streamed, ordered = found(tool, str(path)), found(tool, "-", path.read_bytes())
            findings.update(finding["code"] for finding in ordered["findings"])
            if streamed != ordered:
                differ += 1
                print(f"trace {seed}, {path.suffix}:\n{source.read_text()}\nas it comes: {streamed}\nsorted: {ordered}")
    source.write_text(make_late_trace())
    if found(tool, str(source)) != found(tool, "-", source.read_bytes()):
        differ += 1
        print("the late trace differs")
    wanted = {"overlap", "end_without_begin", "begin_without_end", "flow_without_begin", "flow_without_end",
              "flow_without_slice"}
    if not wanted <= findings:
        print("no trace has", wanted - findings)
    return 1 if differ or not wanted <= findings else 0


if __name__ == "__main__":
    sys.exit(main())
