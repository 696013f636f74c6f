#!/usr/bin/env python3
"""run.py PROGRAM FXT_FROM_TEXT [MADE]: on each trace of planted.py `verify` finds what was planted, where it is, and
nothing else; every kind of finding is planted; the status is 1 where it is an error. With MADE the traces stay there,
with what verify says of each (NAME.found), for engine.mjs.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import planted

NOT_PLANTED = {
    "limit": "takes a file larger than the limit: tests of the readers",
    "left_out": "any event that a reader leaves out: tests of the readers",
}


def verify(program, trace):
    done = subprocess.run([program, "verify", "-q", "--json", trace], capture_output=True, check=False)
    found = json.loads(done.stdout) if done.stdout else {"findings": [], "error": done.stderr.decode()}
    return found, done.returncode


def look_at(program, trace, code, offset):
    found, status = verify(program, trace)
    with open(trace + ".found", "w", encoding="utf-8") as file:
        json.dump(found, file)
    seen = [(finding["code"], finding.get("first_offset")) for finding in found["findings"]]
    wanted = [(code, offset)] if code else []
    is_error = any(finding["level"] == "error" for finding in found["findings"])
    if seen != wanted:
        return [f"{os.path.basename(trace)}: found {seen}, planted was {wanted} {found.get('error', '')}"]
    return [] if status == is_error else [f"{os.path.basename(trace)}: status {status}"]


def main():
    program, fxt_from_text = map(os.path.abspath, sys.argv[1:3])
    folder = sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="verify-")
    os.makedirs(folder, exist_ok=True)
    made = planted.write(folder, program, fxt_from_text)
    faults = [fault for trace, what in made.items() for fault in look_at(program, trace, *what)]
    explained = subprocess.run([program, "verify", "--explain", "all"], capture_output=True, check=True).stdout.decode()
    codes = re.findall(r"^(\w+) \((?:error|warning)\): ", explained, re.M)
    missing = set(codes) - {code for code, _ in made.values()} - set(NOT_PLANTED)
    faults += [f"{code} is planted nowhere" for code in sorted(missing)]
    if len(sys.argv) <= 3:
        shutil.rmtree(folder)
    print("\n".join([*faults, f"{len(made)} traces, {len(codes)} kinds of findings, {len(faults)} faults"]))
    return bool(faults) or len(codes) < 30


sys.exit(main())
