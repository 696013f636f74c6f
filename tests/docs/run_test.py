#!/usr/bin/env python3
"""run_test.py TRACEBRIDGE MADE [NODE]: run.py passes pages as they are, and finds what is planted in them: a wrong
command, an outdated line, a line too few, a wrong answer of the trace processor, a block that nothing runs."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
COPIED = ("docs", "tests/docs", "tests/conformance", "tests/data", "bridge/include", "README.md")
CLIENT, BOOT, BROWSER = (f"docs/merging/{name}.md" for name in ("client-and-server", "one-boot", "browser-and-system"))
README = "README.md"
MAPPING = "docs/MAPPING.md"
DIFFERS = "what is shown is not what is printed"

# page, what to find there, what to put for it, what run.py has to say
PLANTS = (
    (CLIENT, " --align-messages \\", " --align-message \\", "exit status 2"),
    (CLIENT, "server.json -o both", "servers.json -o both", "no input is called server.json"),
    (CLIENT, "random.seed(1)", "random.seed(2)", DIFFERS),
    (CLIENT, "120 matches", "121 matches", DIFFERS),
    (CLIENT, "json.dump(server, ", "json.dump(nobody, ", "NameError"),
    (BOOT, "  time span: 3.15 s\n", "", DIFFERS),
    (BOOT, "time span: 3.15 s", "time span: 3.16 s", DIFFERS),
    (BROWSER, '"clock": "MONOTONIC"}}}]}}', '"clock": "MONOTONIC"}}}]}', "exit status 1"),
    (BROWSER, "```python", "```ruby", "nothing here runs it"),
    (BROWSER, "```\n2 inputs", "```text\n2 inputs", "nothing here runs it"),
    (MAPPING, "carried_phase: 83", "carried_phase: 84", DIFFERS),
    (MAPPING, '"ts":100,"dur":20,', '"ts":100,"dur":21,', DIFFERS),
    (MAPPING, '{"ph":"M","name":"process_name","pid":"web","args":{"name":"web"}},', "", DIFFERS),
    (MAPPING, '"name":"a heap","pid":7,"id":3', '"name":"a heap","pid":7,"id"', "exit status 1"),
    (README, "  events:    2699", "  events:    2698", DIFFERS),
    ("docs/USING.md", "--strict", "--strickt", "exit status 2"),
    (README, "error.file, error.message", "error.file, error.text", "exit status 1"),
)
OF_THE_ENGINE = (
    (CLIENT, " --flatten-machines --report", " --report", DIFFERS),
    (CLIENT, "arrows\n0", "arrows\n120", DIFFERS),
    (BROWSER, "-- both.perfetto-trace", "-- nothing.perfetto-trace", "exit status 1"),
    (BROWSER, "join sched using", "join schedule using", "exit status 1"),
)

# What is added to a page, and what complete.py has to say.
UNRUN = (
    ("docs/CONFORMANCE.md", "Try `tracebridge info trace.fxt`.", "`tracebridge info trace.fxt` is not run"),
    ("README.md", "Or `tracebridge convert a.json -o b.fxt`.", "`tracebridge convert a.json -o b.fxt` is not run"),
    ("docs/CONFORMANCE.md", "```sh\ntracebridge info trace.fxt\n```", "a block of a page that no test runs"),
)


def complete(tree):
    merging = (str(page) for page in sorted((TREE / "docs/merging").glob("*.md")))
    tests = [README, "docs/USING.md", "docs/COOKBOOK.md", MAPPING, *merging, "help"]
    command = [sys.executable, TREE / "tests/docs/complete.py", "--tree", tree, *tests]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def find_unrun(tree):
    status, said = complete(tree)
    failures = [] if status == 0 else [f"complete.py on the documents as they are: {said}"]
    for page, added, wanted in UNRUN:
        text = (TREE / page).read_text(encoding="utf-8")
        (tree / page).write_text(f"{text}\n{added}\n", encoding="utf-8")
        status, said = complete(tree)
        if status != 1 or wanted not in said:
            failures.append(f"{page} with {added!r}: exit status {status}, without {wanted!r}:\n{said}")
        (tree / page).write_text(text, encoding="utf-8")
    return failures


def run(tree, page, program, made, node):
    command = [tree / "tests/docs/run.py", program, "--first", "--made", made, "--cc", "cc", tree / page]
    command += ["--node", node] if node else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode if not done.stderr else done.stderr, done.stdout


def main(program, made, node=None):
    failures = []
    with tempfile.TemporaryDirectory(prefix="docs-test-") as name:
        tree = pathlib.Path(name)
        for part in COPIED:
            (shutil.copytree if (TREE / part).is_dir() else shutil.copyfile)(TREE / part, tree / part)
        failures += find_unrun(tree)
        for page in (CLIENT, README, "docs/USING.md"):
            status, said = run(tree, page, program, made, node)
            if status != 0:
                failures.append(f"{page} as it is: {said}")
        for page, found, put, wanted in PLANTS + (OF_THE_ENGINE if node else ()):
            text = (TREE / page).read_text(encoding="utf-8")
            if found not in text:
                failures.append(f"{page} has no {found!r}: plant another")
            (tree / page).write_text(text.replace(found, put, 1), encoding="utf-8")
            status, said = run(tree, page, program, made, node)
            if status != 1 or wanted not in said:
                failures.append(f"{page}, {put!r} for {found!r}: exit status {status}, without {wanted!r}:\n{said}")
            (tree / page).write_text(text, encoding="utf-8")
    print("\n".join(failures) or "all is as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
