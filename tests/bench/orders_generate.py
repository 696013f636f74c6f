#!/usr/bin/env python3
"""Traces whose slices come in a certain order: for the bench (orders.py) and the guard.

orders_generate.py ORDER FORMAT EVENTS TRACKS OUT     one trace of EVENTS slices on TRACKS threads
orders_generate.py --all EVENTS TRACKS FOLDER         one for each order and format, as FOLDER/ORDER.FORMAT

The slices of a thread are groups of four: an outer one, one in it with another inside, and one more behind these.

  ordered      by begin, outer slices first; a group of one thread, then one of the next
  children     by end, children first
  reverse      the last begin first
  random       in no order
  overlapping  each slice overlaps the next one, and does not enclose it
  staircase    each slice of a thread begins in all those before it, and outlasts them
  interleaved  by begin, over all threads
  endless      slices that begin and never end

A slice is one complete event, in Perfetto a begin and an end; there `children`, `overlapping` and `staircase` are left
out, since slices of one track nest.
"""
import random
import struct
import sys

ORDERS = ("ordered", "children", "reverse", "random", "overlapping", "staircase", "interleaved", "endless")
FORMATS = ("json", "pftrace", "fxt")
# Begin and duration in microseconds, and the place by end, of the slices of a group.
GROUP = ((0, 40), (2, 10), (4, 4), (20, 10))
BY_END = (2, 1, 3, 0)
PERIOD = 50
THREADS_A_PROCESS = 1000
NAMES = 97


def orders_of(format_name):
    return [o for o in ORDERS if format_name != "pftrace" or o not in ("children", "overlapping", "staircase")]


def slice_of(order, track, i, of_track):
    """Slice `i` of a thread that has `of_track`: thread, begin, duration, name."""
    if order == "overlapping":
        return track, i * 10, 15, i % NAMES
    if order == "staircase":
        return track, i * 10, of_track * 10, i % NAMES
    begin, dur = GROUP[i % len(GROUP)]
    return track, i // len(GROUP) * PERIOD + begin, None if order == "endless" else dur, i % NAMES


def slices(order, events, tracks):
    """All slices in their order."""
    of_track = max(1, events // tracks)
    made = []
    for first in range(0, of_track, len(GROUP)):
        group = [i for i in (BY_END if order == "children" else range(len(GROUP))) if first + i < of_track]
        if order == "interleaved":
            made += [slice_of(order, track, first + i, of_track) for i in group for track in range(tracks)]
        else:
            made += [slice_of(order, track, first + i, of_track) for track in range(tracks) for i in group]
    if order == "reverse":
        made.reverse()
    if order == "random":
        random.Random(1).shuffle(made)
    return made


def ids(track):
    """Process and thread, which is never the process' main one."""
    return 1 + track // THREADS_A_PROCESS, 1000000 + track


# ---- formats ---------------------------------------------------------------------------------------------------------

def write_json(out, made):
    lines = []
    for track, ts, dur, name in made:
        pid, tid = ids(track)
        times = f'"B","ts":{ts}' if dur is None else f'"X","ts":{ts},"dur":{dur}'
        lines.append(f'{{"name":"slice {name}","cat":"bench","ph":{times},"pid":{pid},"tid":{tid}}}')
    out.write(b"[" + ",\n".join(lines).encode() + b"]\n")


def words(text):
    data = text.encode()
    return data + bytes(-len(data) % 8)


def write_fxt(out, made):
    """Records with all strings and threads in line."""
    parts = [struct.pack("<Q", 0x0016547846040010)]
    inline, begin, complete = 0x8000, 2, 4
    for track, ts, dur, name in made:
        label = f"slice {name}"
        strings = words("bench") + words(label)
        kind = begin if dur is None else complete
        body = struct.pack("<QQQ", ts * 1000, *ids(track)) + strings
        if dur is not None:
            body += struct.pack("<Q", (ts + dur) * 1000)
        size = 1 + len(body) // 8
        header = 4 | size << 4 | kind << 16 | (inline | 5) << 32 | (inline | len(label)) << 48
        parts.append(struct.pack("<Q", header) + body)
    out.write(b"".join(parts))


def varint(value):
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def packet(*fields):
    return field(1, b"".join(fields))


def points(order, made):
    """Begins and ends of the slices, in the same order as these."""
    if order in ("reverse", "random"):
        made = sorted(made, key=lambda s: s[:2])
    found = []
    for n, (track, ts, dur, name) in enumerate(made):
        found.append((ts, track, n, 1, name))
        if dur is not None:
            found.append((ts + dur, track, n, 2, name))
    if order == "ordered":  # a group of one thread, then one of the next
        found.sort(key=lambda p: (p[0] // PERIOD, p[1], p[0], p[2]))
    else:
        found.sort(key=lambda p: (p[0], p[2]))
    if order == "reverse":
        found.reverse()
    if order == "random":
        random.Random(1).shuffle(found)
    return found


def write_perfetto(out, made, order):
    """A sequence for each thread, with its descriptor; times are whole."""
    parts = []
    for track in sorted({s[0] for s in made}):
        pid, tid = ids(track)
        descriptor = field(1, 1000 + track) + field(4, field(1, pid) + field(2, tid))
        parts.append(packet(field(8, 0), field(10, 2 + track), field(13, 1), field(60, descriptor)))
    names = [field(23, f"slice {name}".encode()) + field(22, b"bench") for name in range(NAMES)]
    for ts, track, _, kind, name in points(order, made):
        event = field(9, kind) + field(11, 1000 + track) + (names[name] if kind == 1 else b"")
        parts.append(packet(field(8, ts * 1000), field(10, 2 + track), field(11, event)))
    out.write(b"".join(parts))


def generate(order, format_name, events, tracks, path):
    made = slices(order, events, tracks)
    with open(path, "wb") as out:
        if format_name == "json":
            write_json(out, made)
        elif format_name == "fxt":
            write_fxt(out, made)
        else:
            write_perfetto(out, made, order)


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--all":
        for format_name in FORMATS:
            for order in orders_of(format_name):
                generate(order, format_name, int(sys.argv[2]), int(sys.argv[3]), f"{sys.argv[4]}/{order}.{format_name}")
        return 0
    if len(sys.argv) != 6 or sys.argv[2] not in FORMATS or sys.argv[1] not in orders_of(sys.argv[2]):
        print(__doc__, file=sys.stderr)
        return 2
    generate(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    return 0


if __name__ == "__main__":
    sys.exit(main())
