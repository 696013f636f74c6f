#!/usr/bin/env python3
"""No file asks which format another is of. format_names.py [TREE]

The formats are those of enum tb_format. TB_FORMAT_<X> and the ops of a format's reader and writer are named in its own
folder, in the registry and in public headers, and else only where ALLOWED says why. What a source means reaches writers
as capabilities (model/capabilities.h): convert/match.c alone reads options.source.
"""
import os
import re
import subprocess
import sys

HOME = {"JSON": "bridge/chrome_json/", "FXT": "bridge/fxt/", "PERFETTO": "bridge/perfetto/", "FTRACE": "bridge/ftrace/",
        "TEXT": "bridge/convert/packet_text"}
REGISTRY = "bridge/convert/registry.c"
PUBLIC = "bridge/include/"
MATCH = "bridge/convert/match.c"
# What may name a format elsewhere, and why; an entry that nothing needs any more fails the check.
ALLOWED = {
    ("bridge/convert/format_lookalike.c", "PERFETTO"): "outputs that are padded by what they look like are Perfetto's",
    ("merge/write/output.c", "PERFETTO"): "a merged trace is a Perfetto trace, and converted from that",
    ("merge/input/inputs.c", "PERFETTO"): "what is merged are Perfetto's packets; all else is converted to them first",
    ("merge/clocks/clock_placement.c", "FTRACE"): "ftrace text says of no clock what it is but by marks in it",
    ("merge/clocks/marker_relations.c", "FTRACE"): "the marks of ftrace text",
    ("merge/align/align_inputs.c", "PERFETTO"): "reads what inputs.c made",
    ("cli/cmd_open.c", "PERFETTO"): "viewers read Perfetto traces, what they get is one",
    ("cli/report.c", "PERFETTO"): "says what the viewer of Perfetto traces does not show",
    ("cli/merge_summary.c", "PERFETTO"): "a merged trace that is not converted is a Perfetto trace",
}


def files(tree):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-co", "--exclude-standard", "bridge", "merge",
                             "toolbox", "cli"],
                            capture_output=True, text=True, check=True).stdout.split()
    return [f for f in listed if f.endswith((".c", ".h")) and os.path.exists(f"{tree}/{f}")]


def code_of(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/|//[^\n]*", " ", file.read(), flags=re.S)


def formats_of(code):
    """The formats that the code names."""
    names = set(re.findall(r"\bTB_FORMAT_([A-Z0-9]+)\b(?!_)", code))
    return (names | {ops.upper() for ops in re.findall(r"\btb_([a-z0-9]+)_(?:reader|writer)_ops\b", code)}) & set(HOME)


def unknown_formats(tree, listed):
    """Formats of enum tb_format without a folder in HOME."""
    public = " ".join(code_of(f"{tree}/{f}") for f in listed if f.startswith(PUBLIC))
    body = re.search(r"enum tb_format\s*\{(.*?)\}", public, re.S)
    names = set(re.findall(r"TB_FORMAT_([A-Z0-9]+)", body.group(1))) - {"UNKNOWN"} if body else set()
    if names == set(HOME):
        return []
    return [f"the formats of enum tb_format are {sorted(names)}, those of this check {sorted(HOME)}"]


def main(tree):
    listed = files(tree)
    faults, met = unknown_formats(tree, listed), set()
    for file in listed:
        if file.startswith(PUBLIC):
            continue
        code = code_of(f"{tree}/{file}")
        if file != MATCH and re.search(r"\boptions(?:\.|->)source\b", code):
            faults.append(f"{file} reads options.source: ask for a capability of the source (model/capabilities.h)")
        for name in sorted(formats_of(code)):
            if file == REGISTRY or file.startswith(HOME[name]):
                continue
            if (file, name) in ALLOWED:
                met.add((file, name))
            else:
                faults.append(f"{file} names the format {name}: declare a capability (model/capabilities.h)")
    faults += [f"{file} no longer names {name}: take it off the list" for file, name in sorted(set(ALLOWED) - met)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../..")))
