#!/usr/bin/env python3
"""run.py PROGRAM [--corpus] TRACE...: no text of four bytes or more of a trace is in what `redact` makes of it."""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FORMATS = {"json": "json", "perfetto": "pftrace", "fxt": "fxt"}
NUMBER = re.compile(rb"^[-+]?(0x[0-9a-fA-F]+|[0-9.]+([eE][-+]?[0-9]+)?)$")
TEXT = re.compile(rb"[\x20-\x7e]{4,}")
LETTERS = re.compile(rb"[A-Za-z]{3}")
KEPT = b"Kept.Name"


def strings_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_of(item)


def texts(trace):
    """Of JSON its strings; of binary formats runs of bytes that could be one, with what may be in front of them taken
    off: lengths and tags are printable, too. Texts that are no ASCII are found in JSON alone."""
    content = trace.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    try:
        found = {text.encode(errors="surrogatepass") for text in strings_of(json.loads(content))}
    except ValueError:
        found = set(TEXT.findall(content))
        found = {text for text in found if LETTERS.search(text)}  # others are bytes of numbers
        found |= {text[i:] for text in found for i in (1, 2) if len(text) > 40}
    return {text for text in found if len(text) >= 4 and not NUMBER.match(text)}


def own_texts(program, folder, to):
    """What the format's writer has in every trace: that of one whose texts are all short."""
    plain = folder / "plain.json"
    events = [{"name": "a", "cat": "b", "ph": ph, "ts": 1 + i, "dur": 1, "id": 1, "pid": 1, "tid": 1, "bp": "e",
               "args": {"k": {"z": [1, "x", None, 1.5, True]}}} for i, ph in enumerate("XBEiCbnesntfNODSTFPvR")]
    events += [{"name": name, "ph": "M", "pid": 1, "tid": 1, "args": {"name": "n", "labels": "l", "sort_index": 1}}
               for name in ("process_name", "thread_name", "process_labels", "process_sort_index", "thread_sort_index")]
    plain.write_text(json.dumps({"traceEvents": events}))
    out = folder / f"plain.{FORMATS[to]}"
    subprocess.run([program, "redact", "-q", "--key", "k", plain, "-o", out], check=False, capture_output=True)
    return out.read_bytes()


def redacted(program, trace, out, *options):
    done = subprocess.run([program, "redact", "-q", "--key", "k", *options, trace, "-o", out], capture_output=True,
                          check=False)
    return out.read_bytes() if done.returncode in (0, 4) else None


# Words of the formats that a writer only has where the trace has such events ("text" is in trace_event.texts).
OWN = re.compile(
    rb"^[-+]?(traceEvents|(json[.])?stackFrames|samples|displayTimeUnit|args|name|nano|bind_id|flow_(in|out)|scope|"
    rb"terminating_flow_ids|process_(name|labels|sort_index)|thread_(name|sort_index)|labels|sort_index|"
    rb"local|global|parent|category|weight|stack|tracebridge.*|"
    rb"tdur|tts|tdur_ns|tts_ns|sample|counter|baseTimeNanoseconds|clock-domain|LINUX_CLOCK_MONOTONIC|over|"
    rb"(incoming|outgoing)_weight|\[No name\]|\{\"pid\":null\}|otherData|metadata|data|"
    rb"null|true|false|NaN|Infinity|value|other events|overlapping slices|"
    rb"swapper(/[0-9]+)?|Linux|[0-9]+\.[0-9]+\.0|Running|Created|Unknown|prio|Runnable( \(Preempted\))?|Sleeping|"
    rb"Uninterruptible Sleep|Stopped|Zombie|(Exit|Task) Dead|preempted|running|blocked|suspended|dying|dead|waking|"
    rb"Profile(Chunk)?|cpuProfile|startTime|endTime|source|nodes|children|hitCount|callFrame|deoptReason|positionTicks|"
    rb"line|ticks|functionName|scriptId|url|lineNumber|columnNumber|codeType|lines|timeDeltas|columns|trace_ids|"
    rb"executionContextId|text|"
    rb"cname|good|bad|terrible|black|grey|white|yellow|olive|startup|generic_work|vsync_highlight_color|"
    rb"(thread_state|rail|heap_dump|cq_build)_[a-z_]+|(detailed|light|background)_memory_dump|"
    rb"\(?(root|program|idle|garbage collector)\)?|"
    rb"\x10\x00\x04FxT.*)$")


def is_own(text):
    """Also JSON within a text, where all its words are own ones."""
    return OWN.match(text) or (b'{"' in text and all(OWN.match(word) for word in re.findall(rb"[A-Za-z]{3,}", text)))


def check(program, trace, folder, own):
    found, faults = texts(trace), []
    for to, end in FORMATS.items():
        out = redacted(program, trace, folder / f"out.{end}")
        if out is None:
            continue
        left = [text for text in found if text in out and text not in own[to] and not is_own(text)]
        faults += [f"{trace} to {to}: {text[:60]!r} is left" for text in sorted(left)[:5]]
    return faults


def check_options(program, folder):
    """The same text is the same pseudonym, another key makes others, and what is kept is kept."""
    events = [{"name": name, "ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "args": {"secret": "secret"}}
              for name in (KEPT.decode(), "secret")]
    trace = folder / "options.json"
    trace.write_text(json.dumps(events))
    out = [redacted(program, trace, folder / "options-out.json", *options)
           for options in ((), (), ("--key", "other"), ("--keep", "Kept*"), ("--no-args",))]
    words = [set(re.findall(rb"r(?:[a-z][2-9]){9}", content)) for content in out]
    faults = []
    if out[0] != out[1] or len(words[0]) != 2 or words[0] & words[2]:
        faults.append("pseudonyms are not by text and key")
    if out[3].count(KEPT) != 1 or KEPT in out[0]:
        faults.append("--keep does not keep, or keeps more")
    if b"args" in out[4]:
        faults.append("--no-args leaves arguments")
    return faults


def check_places(program, folder):
    """Words of the formats' own stay in their places, and nowhere else."""
    words = ["Running", "R+", "Profile", "cpu", "callFrame", "(idle)", "swapper", "scriptId"]
    trace = folder / "places.json"
    trace.write_text(json.dumps([{"name": word, "ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1,
                                  "args": {word: word, "functionName": word}} for word in words] +
                                [{"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "swapper"}},
                                 {"name": "TEST", "ph": "T", "ts": 1, "dur": 1, "pid": 1, "tid": 1},
                                 {"name": "Profile", "ph": "P", "ts": 1, "pid": 1, "tid": 1, "id": 1,
                                  "args": {"data": {"own": "own", "url": "(idle)", "scriptId": "a1"}}}]))
    out = redacted(program, trace, folder / "places-out.json")
    faults = [f"{word} is left where it is the trace's own" for word in
              [*words[:2], *words[3:5], "functionName", "TEST", "own", "(idle)", "swapper", "a1"]
              if f'"{word}"'.encode() in out]
    return faults + [f"{word} is not left" for word in ("Profile", "data", "url", "scriptId")
                     if out.count(f'"{word}"'.encode()) != 1]


def check_left_out(program, folder):
    """What is left out is said by its kind, and what was traced is lost."""
    trace, out = folder / "left.textproto", folder / "left.pftrace"
    trace.write_text("packet { trusted_packet_sequence_id: 1 timestamp: 1 "
                     "track_event { type: 3 track_uuid: 1 name: \"a\" } }\n"
                     "packet { trace_config { unique_session_name: \"mine\" } }\n"
                     "packet { timestamp: 7 protolog_message: \"\\010\\001\" }\n")
    done = subprocess.run([program, "redact", "--json", trace, "-o", out], capture_output=True, check=False)
    report = json.loads(done.stdout)
    faults = [] if done.returncode == 4 and report["version"] == 1 else [f"status {done.returncode}: {report}"]
    if not [loss for loss in report["losses"] if "protolog_message" in loss["reason"]]:
        faults.append(f"no loss of a packet by its kind: {report}")
    if not [note for note in report["notes"] if note["text"].startswith("packets in which the recorder")]:
        faults.append(f"no note of what the recorder says: {report}")
    return faults


def main():
    program, rest = os.path.abspath(sys.argv[1]), [arg for arg in sys.argv[2:] if arg != "--corpus"]
    traces = [pathlib.Path(arg) for arg in rest]
    if "--corpus" in sys.argv:
        corpus = pathlib.Path(os.environ["TRACEBRIDGE_CORPUS"])
        traces += [path for path in sorted(corpus.rglob("*"))
                   if path.suffix in (".json", ".gz", ".pftrace", ".fxt") and path.stat().st_size < 4 << 20]
    with tempfile.TemporaryDirectory(prefix="redact-") as name:
        folder = pathlib.Path(name)
        own = {to: own_texts(program, folder, to) for to in FORMATS}
        faults = check_options(program, folder) + check_places(program, folder) + check_left_out(program, folder)
        for trace in traces:
            faults += check(program, trace, folder, own)
    print("\n".join([*faults, f"{len(traces)} traces, {len(faults)} faults"]))
    return bool(faults) or not traces


sys.exit(main())
