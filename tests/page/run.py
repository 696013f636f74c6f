#!/usr/bin/env python3
"""run.py TRACEBRIDGE: `merge --report NAME.html` is a page that holds the numbers of the JSON report.

Merges traces whose wall clocks agree, one of them set while it recorded, as files whose names are hostile, and reads
the page as XML: the drawings hold each input's first and last time, its bounds over time and each note that has a time;
the table and the list have a row for each input and note; names are there as text alone, and nothing is loaded or run.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.dom.minidom

MS, S, EPOCH = 10**6, 10**9, 1_700_000_000 * 10**9
BOOTTIME, REALTIME, INSTANT = 6, 1, 3
PACKET, TIMESTAMP, SEQUENCE, EVENT, SNAPSHOT = 1, 8, 10, 11, 6
HOSTILE = "<script>alert('x')</script>&amp;\"'\u202e\n\x1b[31m\ufffe.pftrace"
SHOWN = "script>&amp;\"'\\xe2\\x80\\xae\\n\\x1b[31m\\xef\\xbf\\xbe.pftrace"


# ---- packets


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    body = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def snapshot(boot, wall):
    clocks = [message(1, number(1, clock), number(2, time)) for clock, time in ((BOOTTIME, boot), (REALTIME, wall))]
    return message(PACKET, number(SEQUENCE, 1), message(SNAPSHOT, *clocks))


def trace(booted, step_by=0):
    """A minute of a host that was started `booted` ns before, whose wall clock is set in the middle of it."""
    packets = []
    for second in range(0, 61, 5):
        when = second * S
        packets.append(snapshot(booted + when, EPOCH + when + (step_by if second >= 30 else 0)))
        event = message(EVENT, number(9, INSTANT), message(23, b"event"))
        packets.append(message(PACKET, number(TIMESTAMP, booted + when + MS), number(SEQUENCE, 1), event))
    return b"".join(packets)


# ---- the page


failures = []


def expect(right, what):
    if not right:
        failures.append(what)


def text_of(node):
    return node.data if node.nodeType == node.TEXT_NODE else "".join(text_of(child) for child in node.childNodes)


def data(nodes, *names):
    """The numbers of these attributes, of each of the elements that has them all."""
    return [tuple(int(n.getAttribute(f"data-{name}-ns")) for name in names) for n in nodes
            if all(n.hasAttribute(f"data-{name}-ns") for name in names)]


def check_drawings(by_id, report):
    inputs, notes = report["inputs"], [n for n in report["notes"] if "time_ns" in n]
    bars = by_id["timeline"].getElementsByTagName("rect")
    expect(data(bars, "first", "last") == [(i["first_ns"], i["last_ns"]) for i in inputs], "the bars are the inputs")
    bounds = by_id["bounds"]
    expect(data(bounds.getElementsByTagName("polyline"), "bound") == [(i["bound_ns"],) for i in inputs],
           "a line for each input")
    points = [(p["time_ns"], p["bound_ns"]) for i in inputs for p in i["bounds"]]
    expect(len(points) > len(inputs), "there are bounds over time")
    expect(data(bounds.getElementsByTagName("circle"), "time", "bound") == points, "the points are the bounds")
    drawn = bounds.getElementsByTagName("line")
    expect(data(drawn, "time", "size") == [(n["time_ns"], n["size_ns"]) for n in notes],
           "a mark for each note with a time")
    titles = [text_of(n.getElementsByTagName("title")[0]) for n in drawn if n.hasAttribute("data-time-ns")]
    expect(any(t.startswith("clock_step, 7.000 s: ") for t in titles), f"the step has a title: {titles}")
    x = [float(n.getAttribute(name)) for n in drawn for name in ("x1", "x2")]
    x += [float(n.getAttribute("x")) for n in bars]
    _, _, width, _ = map(float, bounds.getAttribute("viewBox").split())
    expect(all(0 <= at <= width for at in x), "all is inside of the drawing")


def check_lists(by_id, report):
    rows = [[text_of(cell) for cell in row.getElementsByTagName("td")]
            for row in by_id["inputs"].getElementsByTagName("tr")[1:]]
    expect([row[-2:] for row in rows] == [[str(i["first_ns"]), str(i["last_ns"])] for i in report["inputs"]],
           "the table has the times")
    expect(rows[1][0].endswith(SHOWN), f"the table has the name: {rows[1][0]}")
    lines = [text_of(item) for item in by_id["notes"].getElementsByTagName("li")]
    expect(len(lines) == len(report["notes"]), "a line for each note")
    for note, line in zip(report["notes"], lines):
        expect(line.startswith(f"{note['level']} {note['code']} "), f"{line} is of another note")


def check_page(page, report):
    document = xml.dom.minidom.parseString(page)
    nodes = document.getElementsByTagName("*")
    by_id = {node.getAttribute("id"): node for node in nodes if node.hasAttribute("id")}
    check_drawings(by_id, report)
    check_lists(by_id, report)
    names = {node.tagName for node in nodes}
    expect(not names & {"script", "link", "img", "image", "iframe", "object", "a", "use"}, f"elements: {sorted(names)}")
    loads = {name for node in nodes for name in node.attributes.keys() if name in ("src", "href", "style")
             or name.startswith("on")}
    expect(not loads, f"attributes: {sorted(loads)}")
    expect(b"url(" not in page and b"@import" not in page, "the style loads nothing")


def merge(program, work, names, report, *options):
    done = subprocess.run([program, "merge", "-q", *names, "-o", "merged.pftrace", "--report", report, *options],
                          cwd=work,
                          capture_output=True)
    expect(done.returncode == 0, f"{report}: exit status {done.returncode}: {done.stderr!r}")
    return (pathlib.Path(work) / report).read_bytes()


def main(program):
    with tempfile.TemporaryDirectory(prefix="page-") as work:
        # A / cannot be in a file's name: the one of </script> is between a folder and a file.
        names = ["a.pftrace", HOSTILE, "set.pftrace"]
        for name, content in zip(names, (trace(1000 * S), trace(5000 * S), trace(9000 * S, 7 * S))):
            where = pathlib.Path(work) / name
            where.parent.mkdir(exist_ok=True)
            where.write_bytes(content)
        machines = [word for n, name in enumerate(names) for word in ("--machine", f"{name}=host{n}")]
        report = json.loads(merge(program, work, names, "sync.json", *machines))
        page = merge(program, work, names, "sync.html", *machines)
        check_page(page, report)
        expect(page == merge(program, work, names, "again.html", *machines), "the same page again")
        # One event: everything is at one time.
        (pathlib.Path(work) / "one.json").write_text('[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1}]')
        xml.dom.minidom.parseString(merge(program, work, ["one.json"], "one.html"))
    print("\n".join(failures) or "all is as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
