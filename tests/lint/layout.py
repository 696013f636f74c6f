#!/usr/bin/env python3
"""Where files may be. layout.py [TREE]

* The top level holds what TOP lists and nothing else.
* A folder holds at most FILES_MAX files; each folder of sources, and each in tests/, says by a README.md what it is
  for.
* Each file of docs/history/moves.tsv is where it says, or went on from there by another of its lines.
* protobuf-c and nanopb are for packets that are rare, or read by people: each is used in its places alone. What comes
  by the million is read and written by protobuf/wire.
"""
import os
import re
import subprocess
import sys
from collections import Counter

TOP = set("""CMakeLists.txt CMakePresets.json protos bridge merge toolbox cli tests third_party docs
             README.md CONTRIBUTING.md CHANGELOG.md LICENSE quickstart.sh test.sh
             .ci .clang-format .clang-tidy .gitignore""".split())
FILES_MAX = 40
LIBRARIES = {
    "protobuf-c": re.compile(r'#\s*include\s*[<"](?:protobuf-c/|[^">]*pb-c\.h)'
                             r'|\bProtobufC|\bprotobuf_c_|\bperfetto__protos__'),
    "nanopb": re.compile(r'#\s*include\s*[<"](?:pb(?:_encode|_decode|_common)?\.h|[^">]*\.pb\.h)'
                         r'|\bpb_(?:encode|ostream)|\bperfetto_protos_'),
}
# Where they are used, by file or folder; an entry that nothing needs any more fails the check.
PLACES = {
    "protobuf-c": {
        "bridge/protobuf/": "unpacking with a bound on depth and memory; our own descriptors",
        "bridge/inspect/": "dump prints packets by their descriptors",
        "bridge/ftrace/event_parser.c": "the names and fields of ftrace's events, by their descriptors",
        "bridge/ftrace/event_text.c": "the names and fields of ftrace's events, by their descriptors",
        "bridge/convert/packet_text.c": "text of packets is encoded by their descriptors",
        "bridge/perfetto/packet/packet_damage.c": "which fields of packets are messages, by their descriptors",
        "bridge/perfetto/packet/packet_kinds.c": "the names of payloads, by their descriptors",
        "bridge/perfetto/reader/reader.h": "typed reading: a message into the batch's memory",
        "bridge/perfetto/reader/reader.c": "typed reading: the same, and the descriptors of payloads",
        "bridge/perfetto/reader/frame_timeline_importer.c": "typed reading of packets that are rare",
        "bridge/perfetto/reader/memory_tracker_importer.c": "typed reading of packets that are rare",
        "bridge/perfetto/reader/process_tree_importer.c": "typed reading of packets that are rare",
        "bridge/perfetto/reader/sched.c": "typed reading of packets that are rare",
        "bridge/perfetto/reader/sys_stats_importer.c": "typed reading of packets that are rare",
        "bridge/perfetto/reader/trace_metadata_importer.c": "typed reading of packets that are rare",
        "bridge/perfetto/reader/track_descriptor.c": "typed reading of packets that are rare",
    },
    "nanopb": {
        "bridge/protobuf/nanopb_util.h": "encoding without malloc",
        "bridge/protobuf/nanopb_util.c": "encoding without malloc",
        "bridge/perfetto/writer/descriptor_packets.c": "descriptors, clocks and attributes are written once each",
    },
}


def files(tree):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-co", "--exclude-standard"], capture_output=True,
                            text=True, check=True).stdout.splitlines()
    return [f for f in listed if os.path.exists(f"{tree}/{f}")]


def check_top(listed):
    return [f"{name} is not of the top level" for name in sorted({f.split("/")[0] for f in listed} - TOP)]


def check_folders(listed):
    counts = Counter(os.path.dirname(f) for f in listed)
    faults = [f"{folder} has {count} files, more than {FILES_MAX}: split it"
              for folder, count in sorted(counts.items()) if count > FILES_MAX]
    sources = {os.path.dirname(f) for f in listed if f.startswith(("bridge/", "merge/", "toolbox/", "cli/"))
               and f.endswith((".c", ".h"))}
    sources |= {"tests"} | {"/".join(f.split("/")[:2]) for f in listed if re.match("tests/[^/]+/", f)}
    return faults + [f"{folder} has no README.md" for folder in sorted(sources | {"protos"})
                     if f"{folder}/README.md" not in listed]


def check_moves(tree, listed):
    path = f"{tree}/docs/history/moves.tsv"
    lines = open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []
    moves = dict(line.split("\t") for line in lines if line and not line.startswith("#"))
    known, faults = set(listed), []
    for old, now in moves.items():
        passed = set()
        while now not in known and now in moves and now not in passed:
            passed.add(now)
            now = moves[now]
        if now not in known:
            faults.append(f"docs/history/moves.tsv: {old} became {now}, which is not there")
    return faults


def code_of(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/|//[^\n]*", " ", file.read(), flags=re.S)


def check_libraries(tree, listed):
    faults, met = [], set()
    for file in listed:
        if not file.startswith(("bridge/", "merge/", "toolbox/", "cli/")) or not file.endswith((".c", ".h")):
            continue
        code = code_of(f"{tree}/{file}")
        for library, uses in LIBRARIES.items():
            if not uses.search(code):
                continue
            place = next((p for p in PLACES[library] if file == p or (p.endswith("/") and file.startswith(p))), None)
            if place:
                met.add((library, place))
            else:
                faults.append(f"{file} uses {library}, which is not for it")
    unused = {(library, place) for library, places in PLACES.items() for place in places} - met
    return faults + [f"{place} no longer uses {library}: take it off the list" for library, place in sorted(unused)]


def main(tree):
    listed = files(tree)
    faults = check_top(listed) + check_folders(listed) + check_moves(tree, listed) + check_libraries(tree, listed)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../..")))
