"""What the folders of pages hold before their blocks are run: {page or page#heading: {name: source}}.

The page "help" is made of the examples that the program's help has, a section for each command.

A source is below MADE/ (tests/data of the build: traces that are made of text), TREE/ (the project) or CORPUS/
(TRACEBRIDGE_CORPUS), and may be a pattern; the name "" keeps the files' own. PROGRAM is tracebridge. A page that is not
here begins empty; a heading that is not here goes on in the page's folder.
"""

PAGES = {
    "README.md": {
        "trace.json": "TREE/tests/data/real/clang-time-trace.json",
        "trace.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
    },
    "docs/USING.md": {
        "trace.json": "TREE/tests/data/real/clang-time-trace.json",
        "trace.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
        "huge.json": "TREE/tests/data/real/node-trace-events.json",
        "trace.fxt": "MADE/fxt/events.fxt",
        "a.perfetto-trace": "MADE/recipes/render.perfetto-trace",
        "b.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
        "c.fxt": "MADE/fxt/carried.fxt",
        "traces/a.json": "TREE/tests/data/real/clang-time-trace.json",
        "traces/host/b.fxt": "MADE/fxt/events.fxt",
        "crashed.json": "TREE/tests/data/damage/cut_in_event.json",
    },
    "docs/COOKBOOK.md": {
        "": "MADE/recipes/*.perfetto-trace",
        "node.json": "TREE/tests/data/real/node-trace-events.json",
        "compile.json": "TREE/tests/data/real/clang-time-trace.json",
        "page.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
        "lines.json": "TREE/tests/data/damage/lines.json",
        "trace.ftrace": "TREE/tests/data/ftrace/small.ftrace",
        "trace.fxt": "MADE/fxt/flows.fxt",
    },
    "docs/MAPPING.md": {
        "bin/show": "TREE/tests/docs/show.sh",
        "events.fxt": "MADE/fxt/events.fxt",
        "flows.fxt": "MADE/fxt/flows.fxt",
        "scheduling.fxt": "MADE/fxt/scheduling.fxt",
        "small.ftrace": "TREE/tests/data/ftrace/small.ftrace",
    },
    "docs/merging/browser-and-system.md": {"system.perfetto-trace": "MADE/recipes/system.perfetto-trace"},
    "docs/merging/browser-and-system.md#A real browser and the kernel": {"": "CORPUS/mergesets/set1/[!l]*"},
    "docs/merging/one-boot.md": {"": "MADE/recipes/[!s]*.perfetto-trace"},
    "docs/merging/reference.md": {"": "MADE/recipes/[!s]*.perfetto-trace"},
    "help#convert": {
        "trace.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
        "huge.json": "TREE/tests/data/real/node-trace-events.json",
    },
    "help#merge": {"a.perfetto-trace": "MADE/recipes/render.perfetto-trace"},
    "help#info": {
        "trace.perfetto-trace": "MADE/recipes/system.perfetto-trace",
        "trace.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
    },
    "help#dump": {"trace.perfetto-trace": "MADE/recipes/render.perfetto-trace", "trace.fxt": "MADE/fxt/events.fxt"},
    "help#verify": {
        "trace.perfetto-trace": "MADE/recipes/system.perfetto-trace",
        "out/a.json": "TREE/tests/data/real/clang-time-trace.json",
    },
    "help#diff": {
        "before.json": "TREE/tests/data/real/clang-time-trace.json",
        "after.perfetto-trace": "TREE/tests/data/real/clang-time-trace.json",
        "trace.json": "TREE/tests/data/real/clang-time-trace.json",
    },
    "help#redact": {
        "trace.json": "TREE/tests/data/real/clang-time-trace.json",
        "trace.perfetto-trace": "MADE/recipes/system.perfetto-trace",
    },
    "help#trim": {
        "trace.perfetto-trace": "MADE/recipes/render.perfetto-trace",
        "trace.pftrace": "MADE/recipes/system.perfetto-trace",
        "trace.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
    },
    "help#filter": {
        "trace.json": "TREE/tests/data/real/clang-time-trace.json",
        "trace.pftrace": "MADE/recipes/system.perfetto-trace",
        "huge.pftrace": "MADE/recipes/render.perfetto-trace",
    },
    "help#split": {
        "trace.pftrace": "MADE/recipes/system.perfetto-trace",
        "huge.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
    },
    "help#repair": {"crashed.json": "TREE/tests/data/damage/cut_in_event.json"},
    "help#open": {
        "trace.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
        "trace.fxt": "MADE/fxt/events.fxt",
    },
    "docs/merging/ranks.md#Four ranks of a real job": {"": "CORPUS/json/multi_dlrm/worker*.json"},
}

# A program in place of the platform's opener, which fetches the trace as the viewer's page would.
BROWSER = """
mkdir -p bin && cat >bin/xdg-open <<'END' && chmod +x bin/xdg-open
#!/usr/bin/env python3
import sys, urllib.request as web
viewer, _, trace = sys.argv[1].partition("#!/?url=")
web.urlopen(web.Request(trace, headers={"Origin": viewer.rstrip("/")})).read()
END
"""

# What is run by bash in the folder of a section before its blocks.
PREPARE = {
    "docs/MAPPING.md#": "chmod +x bin/show",
    "docs/USING.md#": BROWSER,
    "docs/COOKBOOK.md#": BROWSER + """
rank() { echo "[{\\"ph\\":\\"X\\",\\"name\\":\\"barrier\\",\\"pid\\":$1,\\"tid\\":1,\\"ts\\":$2,\\"dur\\":7},
{\\"ph\\":\\"X\\",\\"name\\":\\"barrier\\",\\"pid\\":$1,\\"tid\\":1,\\"ts\\":$(($2 + 1000)),\\"dur\\":7}]"; }
rank 1 100 > rank0.json
rank 2 5100 > rank1.json
echo '[{"ph":"X","name":"request","pid":7,"tid":7,"ts":5000000,"dur":1500}]' > app.json
""",
    "help#open": BROWSER + """
gunzip -c trace.json.gz >client.json
tracebridge convert -q client.json -o server.perfetto-trace
""",
    "help#convert": """
mkdir bin && printf '#!/bin/sh\\nzcat trace.json.gz\\n' > bin/record && chmod +x bin/record
""",
    "help#merge": """
rank() { echo "[{\\"ph\\":\\"X\\",\\"name\\":\\"barrier\\",\\"pid\\":$1,\\"tid\\":1,\\"ts\\":$2,\\"dur\\":$3},
{\\"ph\\":\\"X\\",\\"name\\":\\"barrier\\",\\"pid\\":$1,\\"tid\\":1,\\"ts\\":$(($2 + 1000)),\\"dur\\":$3}]"; }
rank 1 100 7 | gzip > rank0.json.gz
rank 2 5100 7 | gzip > rank1.json.gz
rank 3 700 7 > b.json
echo "{\\"traceEvents\\":$(rank 4 100 5),\\"metadata\\":{\\"clock-domain\\":\\"LINUX_CLOCK_MONOTONIC\\"}}" > server.json
tracebridge convert -q server.json -o client.perfetto-trace
gzip server.json
""",
}


def sections_of(page):
    return [key.partition("#")[2] for key in PAGES if key.partition("#")[0] == page]


def files_of(page, section):
    return PAGES.get(f"{page}#{section}" if section else page, {})
