# What the recorder says of the machine, of its options, and of what it lost; the wall clock's time with the zone.
python3 - <<'END'
def number(n):
    n &= 2 ** 64 - 1
    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
def message(*fields):
    return b"".join(number(tag << 3) + number(value) if isinstance(value, int) else
                    number(tag << 3 | 2) + number(len(value)) + value for tag, value in fields)
def packet(*fields):
    return message((1, message(*fields)))
def clock(number, ns):
    return (1, message((1, number), (2, ns)))
def ftrace_stats(phase, overrun):
    return packet((34, message((1, phase), (2, message((1, 0), (3, overrun), (8, 3))))))
config = message((1, message((1, 2048))), (1, message((1, 64))),
                 (2, message((1, message((1, b"linux.ftrace"))))), (2, message((1, message((1, b"track_event"))))))
system = message((1, message((1, b"Linux"), (2, b"#1 SMP"), (3, b"5.10"), (4, b"aarch64"))), (2, b"brand/build:13"),
                 (4, b"Perfetto v25"), (7, -90), (14, b"Maker"))
stats = message((1, message((3, 7), (19, 2))), (9, 1), (14, 5))
open("trace.pftrace", "wb").write(
    packet((6, message(clock(6, 10 ** 9), clock(1, 1700000000 * 10 ** 9)))) + packet((45, system)) +
    packet((33, config)) + ftrace_stats(1, 100) + packet((35, message((1, message((3, 6)))))) +
    packet((8, 2 * 10 ** 9), (11, message((9, 3), (23, b"one"), (22, b"a")))) + ftrace_stats(2, 142) +
    packet((35, stats)))
head = packet((6, message(clock(6, 10 ** 9), clock(1, 1700000000 * 10 ** 9))))
def zone(minutes):
    return packet((45, message((7, minutes))))
# a count that goes back, and zones that are none
open("odd.pftrace", "wb").write(head + zone(-2 ** 31) + zone(1441) + ftrace_stats(1, 100) + packet(
    (8, 2 * 10 ** 9), (11, message((9, 3), (23, b"one"), (22, b"a")))) + ftrace_stats(2, 0))
END
tracebridge info odd.pftrace | grep -A9 'recorded\|missed'
tracebridge info trace.pftrace | sed '/^clocks/,$d'
tracebridge info --json trace.pftrace | python3 -c '
import json, sys
said = json.load(sys.stdin)
keys = "version file first_realtime_ns timezone_minutes recording data_sources buffer_bytes missed"
for key in keys.split():
    print(key, said[key])'
