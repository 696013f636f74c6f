#!/usr/bin/env python3
"""run.py TRACEBRIDGE [--browser]: `merge --report NAME.html` is a page that holds the numbers of the JSON report.

Merges traces whose clocks are set, sleep and are read late, as files whose names are hostile; hosts that see the same
events, hosts that send messages, hosts that ask for the time. Reads each page as XML: the drawings hold each input's
first and last time, its residuals, bounds and messages at their places, and each note that has a time; the table and
the list have a row for each input and note; names are there as text alone, and nothing is loaded or run. With --browser
it opens the pages in headless Chromium instead (browser.py), where nothing may complain; without Chromium it is
skipped, with TRACEBRIDGE_FULL set that is a failure.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import browser
import chromium
import traces
from page import check_page, expect, failures

HOSTILE = "<script>alert('x')</script>&amp;\"'\u202e\n\x1b[31m\ufffe.pftrace"
SHOWN = "script>&amp;\"'\\xe2\\x80\\xae\\n\\x1b[31m\\xef\\xbf\\xbe.pftrace"
S, MS = traces.S, traces.MS


class Merges:
    def __init__(self, program, work):
        self.program, self.work, self.pages = program, pathlib.Path(work), []

    def merge(self, names, report, *options):
        done = subprocess.run([self.program, "merge", "-q", *names, "-o", "merged.pftrace", "--report", report,
                               *options],
                              cwd=self.work, capture_output=True)
        expect(done.returncode == 0, f"{report}: exit status {done.returncode}: {done.stderr!r}")
        return (self.work / report).read_bytes()

    def both(self, title, files, *options):
        """The report of merging these files as JSON, and as a page."""
        for name, content in files.items():
            (self.work / name).parent.mkdir(exist_ok=True)
            (self.work / name).write_bytes(content)
        report = json.loads(self.merge(files, f"{title}.json", *options))
        page = self.merge(files, f"{title}.html", *options)
        expect(page == self.merge(files, f"{title}-again.html", *options), f"{title}: the same page again")
        self.pages.append(self.work / f"{title}.html")
        return report, page


def residuals(report, number):
    return {r["kind"] + " " + r["of"]: r for r in report["inputs"][number]["residuals"]}


def clocks(merges):
    # A / cannot be in a file's name: the one of </script> is between a folder and a file.
    files = {"a.pftrace": traces.recording(1000 * S), HOSTILE: traces.recording(5000 * S, slept=3 * S, late=4 * MS),
             "set.pftrace": traces.recording(9000 * S, step_by=7 * S)}
    report, page = merges.both("clocks", files,
                               *[word for n, name in enumerate(files) for word in ("--machine", f"{name}=host{n}")])
    rows = check_page(page, report)
    expect(rows[1][0].endswith(SHOWN), f"the table has the name: {rows[1][0]}")
    notes = {n["code"]: n for n in report["notes"] if "time_ns" in n}
    expect(notes["clock_step"]["size_ns"] == 7 * S, f"the step: {notes['clock_step']}")
    expect(notes["suspend"]["size_ns"] == -3 * S or notes["suspend"]["size_ns"] == 3 * S,
           f"the suspend: {notes['suspend']}")
    late = residuals(report, 1)["readings REALTIME against BOOTTIME"]
    expect((late["used"], late["outliers"]) == (12, 1), f"readings: {late['used']}, {late['outliers']}")
    odd = [p for p in late["points"] if p.get("outlier")]
    expect(len(odd) == 1 and odd[0]["residual_ns"] == 4 * MS, f"the late reading: {odd}")
    expect(b"clock set by +7.000 s" in page and b"slept 3.000 s" in page and b"late by 4.000 ms" in page,
           "marks have names")
    expect(b"2023-11-14 22:13:20 UTC" in page, "the axis has a date")


def events(merges):
    report, page = merges.both("events", dict(zip(("a.pftrace", "b.pftrace"), traces.two_rows())), "--align-on",
                               "barrier")
    check_page(page, report)
    placed, found = report["inputs"][1], residuals(report, 1)["matches a.pftrace"]
    expect((found["used"], found["outliers"]) == (placed["matches"], placed["outliers"]),
           "matches are what the fit had")
    expect(found["outliers"] == traces.ODD_EVENTS, f"odd events: {found['outliers']}")
    shown = [sum(p.get("outlier", False) == out for p in found["points"]) for out in (False, True)]
    expect(shown == [1500, 500], f"2000 points, the rarer ones all: {shown}")
    times = [p["time_ns"] for p in found["points"]]
    expect(times == sorted(times), "points are in the order of time")
    expect(b"(1500 and 500 drawn, evenly chosen)" in page, "the page says how many are drawn")


def messages(merges):
    files = {f"host{n}.pftrace": content for n, content in enumerate(traces.talking_hosts())}
    report, page = merges.both("messages", files, "--align-messages")
    check_page(page, report)
    sent = report["messages"]
    expect((sent["count"], sent["backwards"], len(sent["shown"])) == (1500, 5, 1000),
           f"{sent['count']}, {sent['backwards']}")
    expect(sum(m.get("backwards", False) for m in sent["shown"]) == 5, "those that run backwards are all there")
    expect(b"1000 of 1500 are drawn" in page, "the page says how many are drawn")


def waits(merges):
    report, page = merges.both("waits", dict(zip(("asks.json", "answers.json"), traces.synchronised_json())))
    check_page(page, report)
    found = residuals(report, 1)["clock_sync asks.json"]
    expect(all(p["within_ns"] == MS for p in found["points"]), f"half of each wait: {found['points'][:2]}")
    expect(len(found["points"]) == 8, "each wait")


def one_event(merges):
    """Everything is at one time."""
    report, page = merges.both("one", {"event.json": b'[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1}]'})
    check_page(page, report)


def main(program, with_browser):
    if with_browser and not chromium.find():
        print("no Chromium: the pages were opened by no browser")
        return 1 if os.environ.get("TRACEBRIDGE_FULL") else 77
    with tempfile.TemporaryDirectory(prefix="page-") as work:
        merges = Merges(program, work)
        for case in (clocks, events, messages, waits, one_event):
            case(merges)
        if with_browser:
            failures.extend(browser.check(merges.pages))
    print("\n".join(failures) or "all is as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), "--browser" in sys.argv[2:]))
