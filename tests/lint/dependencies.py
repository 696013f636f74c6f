#!/usr/bin/env python3
"""Which folder may include what. dependencies.py [TREE]

A folder includes from itself and from the folders that stand before it in ORDER. A reader and a writer of a format
never include each other, formats never another format. Public headers include public headers alone; so does cli but for
its own.
"""
import os
import re
import subprocess
import sys

ORDER = ["base", "io", "protobuf", "json", "model", "timeline", "shape", "ftrace",
         "chrome_json/reader", "chrome_json/writer", "fxt", "fxt/reader",
         "fxt/writer", "perfetto/clock", "perfetto/packet", "perfetto/reader/tables", "perfetto/reader",
         "perfetto/reader/payloads",
         "perfetto/writer/encode", "perfetto/writer/staged", "perfetto/writer", "convert", "inspect", "merge",
         "toolbox", "cli"]
FORMATS = {"chrome_json", "fxt", "perfetto"}
CLI = {"", "completions", "many"}  # the program's folders; completions see the options alone
# What is still to be mended; an entry that nothing needs any more fails the check, so that the list shrinks.
KNOWN = set()


def files(tree):
    listed = subprocess.run(["git", "-C", tree, "ls-files", "-co", "--exclude-standard", "bridge", "merge",
                             "toolbox", "cli"],
                            capture_output=True, text=True, check=True).stdout.split()
    return [f for f in listed if f.endswith((".c", ".h")) and os.path.exists(f"{tree}/{f}")]


def folder_of(file):
    if file.startswith("bridge/include/"):
        return "tracebridge"
    return os.path.dirname(file[len("bridge/"):]) if file.startswith("bridge/") else file.split("/")[0]


def format_of(folder):
    top = folder.split("/")[0]
    return top if top in FORMATS else None


def directions(folders):
    """Which of reader and writer the folders are of, or inside of."""
    return {part for folder in folders for part in folder.split("/") if part in ("reader", "writer")}


def fault(here, there):
    """Why a file in the folder `here` may not include from `there`; None where it may."""
    if there == "tracebridge" or there == here:
        return None
    if here == "tracebridge":
        return "public headers must not lead inside"
    if here == "cli":
        return "cli sees public headers alone"
    if there == "protos" or there.startswith("protos/"):
        return None
    if here not in ORDER or there not in ORDER:
        return f"the order does not know {there if here in ORDER else here}"
    if len(directions([here, there])) == 2:
        return "readers and writers must not know each other"
    if format_of(here) and format_of(there) and format_of(here) != format_of(there):
        return "formats must not know each other"
    return None if ORDER.index(there) < ORDER.index(here) else f"{there} stands above {here}"


def main(tree):
    faults, met = [], set()
    for file in files(tree):
        with open(f"{tree}/{file}", encoding="utf-8") as text:
            included = re.findall(r'^ *# *include "([^"]+)"', text.read(), re.M)
        for name in included:
            top = name.split("/")[0]
            there = top if top in ("merge", "toolbox") else os.path.dirname(name)
            if file.startswith("cli/") and there in CLI:
                sees_options = file.startswith("cli/completions/")
                why = None if not sees_options or name == "options.h" or there else "it may use options.h alone"
            else:
                why = fault(folder_of(file), there)
            if why and (file, name) in KNOWN:
                met.add((file, name))
            elif why:
                faults.append(f"{file} includes {name}: {why}")
    faults += [f"{file} no longer includes {name}: take it off the list" for file, name in sorted(KNOWN - met)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../..")))
