#!/usr/bin/env python3
"""One idea, one place. one_of_each.py [TREE]; one_of_each.py --ideas

A row of RULES names an idea, a pattern by which a copy of it betrays itself, and where it may be: its place, and other
files, each with the reason for which it is double. Comments are not looked at. What a row permits and no file needs any
more fails the check too, so that the lists shrink. A new row gets its planted copy in one_of_each_test.sh.
"""
import os
import re
import subprocess
import sys

# idea, pattern, its place (a prefix of paths), {other file: reason}
RULES = [
    ("ring between two threads",
     r"\bpthread_(cond|mutex|rwlock|spin)\w*|\b(cnd|mtx)_\w+|\bsem_(wait|post)\b",
     "bridge/io/ring.", {}),
    ("thread", r"\bpthread_create\b|\bthrd_create\b",
     "bridge/io/ring.c",
     {"merge/input/prescan_inputs.c": "workers take the next input from a counter: nothing passes between them"}),
    ("heap",
     r"\b2 \* [a-z]\w* \+ [12]\b|\b[a-z]\w* \* 2 \+ [12]\b|<< 1\)? [|+] 1\b|\(\w+ - 1\) (/ 2|>> 1)\b|\bheapify\b",
     "bridge/base/heap.h",
     {"bridge/chrome_json/writer/track_metadata.c": "a flag below a number, for a hash"}),
    ("temporary file", r"\bmko?stemps?\b|\bmkdtemp\b|\btmpfile\b|\bO_TMPFILE\b",
     "bridge/io/temp_file.c",
     {"bridge/io/output.c": "an output: it gets its name when it is whole, and the mode of what it replaces"}),
    ("reading and writing all at an offset", r"\bp(read|write)(v2?|64)?\(",
     "bridge/io/temp_file.c",
     {"bridge/io/input.c": "an input: what there is now, and its caller asks again"}),
    ("freeing pages of a file", r"\bfallocate\(|\bFALLOC_FL_",
     "bridge/io/temp_file.c", {}),
    ("hash mixing",
     r"(?i)0x(9e3779b9|bf58476d|94d049bb|ff51afd7|c4ceb9fe|d6e8feb8|0*100000001b3|cbf29ce4|c2b2ae3d|85ebca6b)\w*"
     r"|\b2654435761",
     "bridge/base/mix64.h", {}),
    ("binary search",
     r"\w+\)? \+ \(\w+ - \(?\w+\)?\) / 2\b|\((low|lo|first|from|left) \+ (high|hi|last|to|right)\) / 2\b",
     "bridge/base/search.h", {}),
    ("loader of libraries", r"\bdl(m?open|v?sym)\(", "bridge/base/loaded_library.c", {}),
    ("key of carried fields", r'"(ts|dur|tts|tdur)_ns"|"trace_event\.?"|"fxt_(types|counter|blob|bytes)"',
     "bridge/model/carried_fields.h", {}),
    ("same file", r"\bst_ino\b",
     "bridge/io/path.c", {}),
    ("last part of a path", r"\bstrrchr\([^;]*'/'\)", "bridge/io/path.c", {}),
    ("passing over a JSON string", r"== '\\\\'\) \w+\+\+|!= '\\\\'\) continue", "bridge/json/",
     {"bridge/chrome_json/reader/trace_members.c": "a string of any length, in pieces that end with a line"}),
    ("unescaping of JSON", r"\b0x[dD][89a-cA-C]00\b", "bridge/json/tokenizer.c", {}),
    ("escaping for JSON", r"= 'u';|'u', '0'|printf\([^;\n]*\\\"\w*\\\":", "bridge/json/",
     {"bridge/base/escape.c": "names that are shown: also what would steer a terminal"}),
    ("varint of protobuf", r"& 0x80\b|>>=? 7\b", "bridge/protobuf/",
     {"bridge/base/utf8.c": "a byte that is no ASCII",
      "bridge/inspect/text_format.c": "in how many bytes a length was written",
      "bridge/perfetto/packet/packet_detect.c": "a length at the start of a file that may be anything",
      "merge/rewrite/rewrite.c": "fields of one byte's tag that are copied as they are"}),
    ("merging of sorted items", r'"base/(kway_)?heap\.h"', "bridge/base/kway_heap.",
     {"bridge/timeline/run_merger.c": "runs of the temporary file: items are records, which their owner compares",
      "bridge/timeline/lane_allocator.h": "free lanes, the lowest first",
      "bridge/shape/event_window.h": "events of a window, while they still come",
      "bridge/shape/shaper.h": "complete slices that wait for their ends, the earliest first",
      "merge/write/write.c": "the inputs of a merge, by kway_heap"}),
    ("name of a compressed file", r'"\.(gz|zst)"',
     "bridge/io/path.c", {}),
    ("sequence table",
     r"\btb_(index_)?map_(get|find|put)\w*\([^;]*\b(id|sequence), [^;]*machine\b|\bmachine << 32 \| \w*id\b",
     "bridge/perfetto/packet/sequence_table.c",
     {"bridge/perfetto/reader/gpu_importer.c": "counters of GPUs, by id and machine",
      "bridge/perfetto/packet/trace_clocks.c": "how far clocks of other machines are ahead, by clock and machine",
      "merge/rewrite/rewrite.c": "new ids of clocks and threads, by machine and old id"}),
    ("packet-header parser",
     r"((\bcase|[!=]=) |\bTB_WIRE_TAG2?\()"
     r"TB_TRACE_PACKET_(TIMESTAMP(_CLOCK_ID)?|TRUSTED_PACKET_SEQUENCE_ID|SEQUENCE_FLAGS|MACHINE_ID)\b",
     "bridge/perfetto/packet/packet_header.",
     {"bridge/perfetto/packet/packet_tokenizer.c": "numbers that a packet may begin with: finds one behind damage",
      "bridge/perfetto/reader/fxt_passthrough.c": "copies packets, and leaves their sequence out",
      "bridge/perfetto/writer/fxt_passthrough.c": "gives packets that it copies another sequence",
      "merge/rewrite/rewrite.c": "changes the fields that the parser listed",
      "toolbox/verify/verify_packets.c": "whether a sequence is said at all, of those packets whose sequence is 0",
      "toolbox/cut/packet_edit.c": "copies a packet's fields but some, and changes others in place"}),
    ("open addressing", r"= \(\w+ \+ 1\) & |\+\+\w+ & \(?\w*(mask|capacity)|\[\w+ & \(\w*(capacity|count) - 1\)\]",
     "bridge/base/map.c",
     {"bridge/chrome_json/reader/track_table.c": "names, in its arena, with the arena's limit; digits are no text",
      "bridge/base/intern.h": "interned text: found by the text's hash, in code that is inlined",
      "bridge/base/intern.c": "the same",
      "bridge/fxt/strings.c": "a set of texts in its caller's arena, with the arena's limit",
      "bridge/timeline/flow_linker.c": "a set of numbers, of 8 bytes each: a map's entries are four times as large"}),
]


def files(tree):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-co", "--exclude-standard", "bridge", "merge",
                             "toolbox", "cli"],
                            capture_output=True, text=True, check=True).stdout.split()
    return [f for f in listed if f.endswith((".c", ".h")) and os.path.exists(f"{tree}/{f}")]


def without_comments(text):
    """The code, with its lines where they were."""
    def blank(match):
        return match.group(0) if match.group(0)[0] in "\"'" else "\n" * match.group(0).count("\n")
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def main(tree):
    faults, codes = [], {}
    for file in files(tree):
        with open(f"{tree}/{file}", encoding="utf-8") as text:
            codes[file] = without_comments(text.read()).split("\n")
    for idea, pattern, place, others in RULES:
        met = set()
        for file, lines in codes.items():
            hits = [n for n, line in enumerate(lines, 1) if re.search(pattern, line)]
            if hits:
                met.add(place if file.startswith(place) else file)
            if hits and not file.startswith(place) and file not in others:
                faults.append(f"{file}:{hits[0]}: a second {idea}: there is {place}")
        faults += [f"{file} has no {idea} any more: take it off the list"
                   for file in [place, *others] if file not in met]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--ideas"]:
        print("\n".join(rule[0] for rule in RULES))
        sys.exit(0)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../..")))
