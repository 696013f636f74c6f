"""Whether a page of `merge --report NAME.html` has the numbers of the JSON report, in its drawings and in its lists."""
import math
import re
import xml.dom.minidom

LEFT, PLOT = 1500, 7900
ROW, BAR_TOP, BAR_HEIGHT = 260, 65, 130
failures = []


def expect(right, what):
    if not right:
        failures.append(what)


def text_of(node):
    return node.data if node.nodeType == node.TEXT_NODE else "".join(text_of(child) for child in node.childNodes)


def with_class(nodes, name):
    return [node for node in nodes if name in node.getAttribute("class").split()]


def data(nodes, *names):
    """The numbers of these attributes, of each of the elements that has them all."""
    return [tuple(int(n.getAttribute(f"data-{name}")) for name in names) for n in nodes
            if all(n.hasAttribute(f"data-{name}") for name in names)]


def at(node, *names):
    return tuple(float(node.getAttribute(name)) for name in names)


def near(got, wanted, by=1.01):
    return len(got) == len(wanted) and all(abs(a - b) <= by for g, w in zip(got, wanted) for a, b in zip(g, w))


def subpaths(nodes):
    """The lines or dots of paths, as tuples of coordinates."""
    return [tuple(float(v) for v in re.findall(r"-?\d+", part.replace("h0", "")))
            for node in nodes for part in node.getAttribute("d").split("M") if part]


class Drawing:
    """One SVG, and where times and sizes are in it."""

    def __init__(self, node, first, length):
        self.node, self.first, self.length = node, first, length
        self.all = node.getElementsByTagName("*")
        number = lambda name: int(node.getAttribute(f"data-{name}") or 0)
        self.limit, self.knee, self.top, self.height = (number(n) for n in ("limit-ns", "knee-ns", "top", "height"))

    def x(self, ns):
        return LEFT + (PLOT * (ns - self.first) / self.length if self.length else 0)

    def y(self, ns):
        part = math.asinh(ns / self.knee) / math.asinh(self.limit / self.knee) if self.knee else ns / self.limit
        return self.top + self.height / 2 - self.height / 2 * max(-1, min(1, part))

    def check_marks(self, notes, what):
        marks = with_class(self.all, "mark")
        expect(data(marks, "time-ns", "size-ns") == [(n["time_ns"], n["size_ns"]) for n in notes],
               f"{what}: a mark for each note")
        expect(near([at(m, "x1", "x2") for m in marks], [(self.x(n["time_ns"]),) * 2 for n in notes]),
               f"{what}: marks are in place")
        for mark, note in zip(marks, notes):
            expect(text_of(mark).startswith(note["code"] + ", "), f"{what}: a mark's title: {text_of(mark)}")


def timed(report, name=None):
    return [n for n in report["notes"] if "time_ns" in n and name in (None, n.get("input"))]


def check_messages(drawing, report):
    sent = report.get("messages", {"count": 0, "backwards": 0, "shown": []})
    expect(data([drawing.node], "messages", "drawn", "backwards") ==
           [(sent["count"], len(sent["shown"]), sent["backwards"])], "the numbers of messages")
    row = {i["name"]: ROW * n + BAR_TOP for n, i in enumerate(report["inputs"])}

    def line(m):
        down = row[m["to"]] > row[m["from"]]
        return (drawing.x(m["sent_ns"]), row[m["from"]] + (BAR_HEIGHT if down else 0), drawing.x(m["received_ns"]),
                row[m["to"]] + (0 if down else BAR_HEIGHT))

    forwards, backwards = ([m for m in sent["shown"] if m.get("backwards", False) == way] for way in (False, True))
    drawn = with_class(drawing.all, "backwards")
    expect(data(drawn, "sent-ns", "received-ns") == [(m["sent_ns"], m["received_ns"]) for m in backwards],
           "those that run backwards")
    expect(near([at(d, "x1", "y1", "x2", "y2") for d in drawn], [line(m) for m in backwards]),
           "backwards messages are in place")
    expect(near(subpaths(with_class(drawing.all, "message")), [line(m) for m in forwards]), "messages are in place")
    expect(near(subpaths(with_class(drawing.all, "arrival")), [line(m)[2:] for m in forwards]),
           "their ends are in place")


def check_timeline(drawing, report):
    bars = with_class(drawing.all, "bar")
    spans = [(i["first_ns"], i["last_ns"]) for i in report["inputs"]]
    expect(data(bars, "first-ns", "last-ns") == spans, "the bars are the inputs")
    expect(near([at(b, "x") for b in bars], [(drawing.x(first),) for first, _ in spans]), "the bars are in place")
    notes = [n for i in report["inputs"] for n in timed(report, i["name"])]
    drawing.check_marks(notes, "time line")
    check_messages(drawing, report)


def messages_of(report, name):
    """Messages of an input as points: its time less the other end's."""
    for m in report.get("messages", {"shown": []})["shown"]:
        own, other = (m["received_ns"], m["sent_ns"]) if m["to"] == name else (m["sent_ns"], m["received_ns"])
        if name in (m["to"], m["from"]):
            yield {"time_ns": own, "residual_ns": own - other, "outlier": m.get("backwards", False)}


def wanted_panels(report, source):
    """Of an input: the kind, points and counts of each drawing."""
    panels = [(r["kind"], r["points"], (r["used"], r["outliers"])) for r in source["residuals"]]
    messages = list(messages_of(report, source["name"]))
    if messages:
        panels.append(("messages", messages, None))
    if not panels and any(b["bound_ns"] for b in source.get("bounds", [])):
        panels.append(("bound", [], None))
    return panels


def check_panel(drawing, points, counts, what):
    used, outliers = ([p for p in points if p.get("outlier", False) == out] for out in (False, True))
    if counts:
        expect(data([drawing.node], "used", "outliers") == [counts], f"{what}: counts")
        caption = text_of(drawing.node.previousSibling.previousSibling)
        expect(f"{counts[0]} used" in caption and f"{counts[1]} thrown out" in caption, f"{what}: caption {caption}")
    place = lambda p: (drawing.x(p["time_ns"]), drawing.y(p["residual_ns"]))
    expect(near(subpaths(with_class(drawing.all, "used")), [place(p) for p in used]), f"{what}: points are in place")
    drawn = with_class(drawing.all, "outlier")
    expect(data(drawn, "time-ns", "residual-ns") == [(p["time_ns"], p["residual_ns"]) for p in outliers],
           f"{what}: outliers")
    expect(near([at(d, "cx", "cy") for d in drawn], [place(p) for p in outliers]), f"{what}: outliers are in place")


def check_bounds(drawing, source, is_first, what):
    bounds = [(b["time_ns"], b["bound_ns"]) for b in source.get("bounds", [])]
    places = [(drawing.x(time), drawing.y(bound)) for time, bound in bounds]
    band = with_class(drawing.all, "band")
    expect(data(band, "bound-ns") == ([(source["bound_ns"],)] if bounds else []), f"{what}: a band")
    corners = [tuple(map(float, c.split(","))) for b in band for c in b.getAttribute("points").split()]
    expect(near(corners[:len(places)], places), f"{what}: the band is in place")
    drawn = with_class(drawing.all, "bound")
    expect(data(drawn, "time-ns", "bound-ns") == (bounds if is_first else []), f"{what}: bounds")


def check_panels(panels, report, first, length):
    for number, source in enumerate(report["inputs"]):
        own = [p for p in panels if p.getAttribute("data-input") == str(number)]
        wanted = wanted_panels(report, source)
        expect([p.getAttribute("data-kind") for p in own] == [w[0] for w in wanted], f"drawings of {source['name']}")
        for k, (node, (kind, points, counts)) in enumerate(zip(own, wanted)):
            drawing, what = Drawing(node, first, length), f"{source['name']}, {kind}"
            check_panel(drawing, points, counts, what)
            check_bounds(drawing, source, k == 0, what)
            drawing.check_marks(timed(report, source["name"]), what)
            for word in ("title", "desc"):
                expect(node.getElementsByTagName(word), f"{what}: {word}")


def check_lists(by_id, report):
    rows = [[text_of(cell) for cell in row.getElementsByTagName("td")] for row
            in by_id["inputs"].getElementsByTagName("tr")[1:]]
    expect([row[-2:] for row in rows] == [[str(i["first_ns"]), str(i["last_ns"])] for i in report["inputs"]],
           "the table has the times")
    lines = [text_of(item) for item in by_id["notes"].getElementsByTagName("li")]
    expect(len(lines) == len(report["notes"]), "a line for each note")
    for note, line in zip(report["notes"], lines):
        expect(line.startswith(f"{note['level']} {note['code']} "), f"{line} is of another note")


def check_safety(page, nodes):
    names = {node.tagName for node in nodes}
    expect(not names & {"script", "link", "img", "image", "iframe", "object", "a", "use"}, f"elements: {sorted(names)}")
    loads = {name for node in nodes for name in node.attributes.keys() if name in ("src", "href", "style")
             or name.startswith("on")}
    expect(not loads, f"attributes: {sorted(loads)}")
    expect(b"url(" not in page and b"@import" not in page, "the style loads nothing")


def check_page(page, report):
    """Returns the rows of the table."""
    document = xml.dom.minidom.parseString(page)
    nodes = document.getElementsByTagName("*")
    by_id = {node.getAttribute("id"): node for node in nodes if node.hasAttribute("id")}
    first, length = data([by_id["timeline"]], "first-ns", "length-ns")[0]
    check_timeline(Drawing(by_id["timeline"], first, length), report)
    check_panels(with_class(nodes, "panel"), report, first, length)
    check_lists(by_id, report)
    check_safety(page, nodes)
    return [[text_of(cell) for cell in row.getElementsByTagName("td")] for row
            in by_id["inputs"].getElementsByTagName("tr")[1:]]
