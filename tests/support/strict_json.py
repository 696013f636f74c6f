#!/usr/bin/env python3
"""Whether files are JSON in which no object has a key twice. strict_json.py FILE..."""
import json
import sys


def once(pairs):
    keys = [key for key, _ in pairs]
    doubled = {key for key in keys if keys.count(key) > 1} if len(set(keys)) != len(keys) else None
    if doubled:
        raise ValueError(f"{', '.join(sorted(doubled))}: twice in {json.dumps(dict(pairs))[:200]}")
    return dict(pairs)


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def main(files):
    bad = 0
    for name in files:
        try:
            with open(name, encoding="utf-8") as file:
                json.load(file, object_pairs_hook=once, parse_constant=refuse)
        except ValueError as error:
            print(f"{name}: {error}")
            bad = 1
    return bad


sys.exit(main(sys.argv[1:]))
