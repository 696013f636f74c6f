"""Traces for the page's test: hosts whose clocks are set, sleep and are read late; events and messages of hosts."""
import json

US, MS, S, EPOCH = 10**3, 10**6, 10**9, 1_700_000_000 * 10**9
BOOTTIME, MONOTONIC, REALTIME, INSTANT = 6, 3, 1, 3
PACKET, TIMESTAMP, SEQUENCE, EVENT, SNAPSHOT = 1, 8, 10, 11, 6
SENT, RECEIVED = 47, 48  # flow_ids, terminating_flow_ids
EVENTS, ODD_EVENTS = 5000, 500


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


def snapshot(*readings):
    clocks = [message(1, number(1, clock), number(2, time)) for clock, time in readings]
    return message(PACKET, number(SEQUENCE, 1), message(SNAPSHOT, *clocks))


def event(time, name, *flow):
    flows = [varint(field << 3 | 1) + ident.to_bytes(8, "little") for field, ident in flow]
    body = message(EVENT, number(9, INSTANT), message(23, name), *flows)
    return message(PACKET, number(TIMESTAMP, time), number(SEQUENCE, 1), body)


def recording(booted, step_by=0, slept=0, late=0):
    """A minute of a host that was started `booted` ns before, whose wall clock is set in the middle of it, that slept
    at 20 s, and that reads its wall clock late at 45 s."""
    packets = []
    for second in range(0, 61, 5):
        when = second * S
        wall = EPOCH + when + (step_by if second >= 30 else 0) + (late if second == 45 else 0)
        monotonic = booted + when - (slept if second >= 20 else 0)
        packets.append(snapshot((BOOTTIME, booted + when), (MONOTONIC, monotonic), (REALTIME, wall)))
        packets.append(event(booted + when + MS, b"event"))
    return b"".join(packets)


def two_rows():
    """Two hosts that see 5000 events at the same instants, at irregular times; the second sees one in ten late."""
    first, second, time = [], [], 0
    for i in range(EVENTS):
        time += 10 * MS + i * i % 977 * 10 * US
        late = 3 * MS if i % (EVENTS // ODD_EVENTS) == 5 else 0
        first.append(event(1000 * S + time, b"barrier"))
        second.append(event(5000 * S + time + i * 7 % 11 * US + late, b"barrier"))
    return b"".join(first), b"".join(second)


def talking_hosts(hosts=4, messages=1500, backwards_each=300):
    """Hosts that send each other messages of 0.1 to 3 ms; one in 300 seems to arrive 2 s before it was sent."""
    events = [[] for _ in range(hosts)]
    for i in range(messages):
        sender, receiver, sent = i % hosts, (i + 1 + i // hosts % (hosts - 1)) % hosts, i * 40 * MS
        takes = -2 * S if i % backwards_each == 200 else 100 * US + i * i % 29 * 100 * US
        events[sender].append((sent, (SENT, i + 1)))
        events[receiver].append((sent + takes, (RECEIVED, i + 1)))
    return [b"".join(event((host + 3) * 1000 * S + when, b"message", flow) for when, flow in sorted(events[host]))
            for host in range(hosts)]


def synchronised_json(count=8):
    """A JSON trace that asks for the time, waits 2 ms for the answer, and that of the one that is asked."""
    asked, answered = [], []
    for i in range(count):
        sync = {"ph": "c", "name": "clock_sync", "pid": 1, "tid": 1}
        asked.append(sync | {"ts": i * 10**6 + 2000, "args": {"sync_id": f"s{i}", "issue_ts": i * 10**6}})
        answered.append(sync | {"ts": 5 * 10**9 + i * 10**6 + 700, "args": {"sync_id": f"s{i}"}})
    return json.dumps(asked).encode(), json.dumps(answered).encode()
