"""What the folders of pages hold before their blocks are run: {page or page#heading: {name: source}}.

A source is below MADE/ (tests/data of the build: traces that are made of text), TREE/ (the project) or CORPUS/
(TRACEBRIDGE_CORPUS), and may be a pattern; the name "" keeps the files' own. PROGRAM is tracebridge. A page that is not
here begins empty; a heading that is not here goes on in the page's folder.
"""

PAGES = {
    "README.md": {
        "build/tracebridge": "PROGRAM",
        "tests/data/real/clang-time-trace.json": "TREE/tests/data/real/clang-time-trace.json",
        "trace.json": "TREE/tests/data/real/clang-time-trace.json",
        "trace.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
        "huge.json": "TREE/tests/data/real/node-trace-events.json",
        "trace.fxt": "MADE/fxt/events.fxt",
        "a.perfetto-trace": "MADE/recipes/render.perfetto-trace",
        "b.json.gz": "TREE/tests/data/real/chromium-headless.json.gz",
        "c.fxt": "MADE/fxt/carried.fxt",
    },
    "docs/merging/browser-and-system.md": {"system.perfetto-trace": "MADE/recipes/system.perfetto-trace"},
    "docs/merging/browser-and-system.md#A real browser and the kernel": {"": "CORPUS/mergesets/set1/[!l]*"},
    "docs/merging/one-boot.md": {"": "MADE/recipes/[!s]*.perfetto-trace"},
    "docs/merging/reference.md": {"": "MADE/recipes/[!s]*.perfetto-trace"},
    "docs/merging/ranks.md#Four ranks of a real job": {"": "CORPUS/json/multi_dlrm/worker*.json"},
}


def sections_of(page):
    return [key.partition("#")[2] for key in PAGES if key.partition("#")[0] == page]


def files_of(page, section):
    return PAGES.get(f"{page}#{section}" if section else page, {})
