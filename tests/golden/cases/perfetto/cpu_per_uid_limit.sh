# One total more of the processors' time by user than are kept: the packet that has it is counted as lost, and what
# comes behind it goes on with the totals that are known.
python3 - <<'END'
def number(n):
    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
def value(tag, n):
    return number(tag << 3) + number(n)
def field(tag, data):
    return number(tag << 3 | 2) + number(len(data)) + data
KEPT = CLUSTERS = 1 << 16
def packet(ts, user, times):
    data = value(1, CLUSTERS) + field(2, number(user)) + field(3, b"\1" * times)
    return field(1, value(8, ts) + value(10, 1) + value(13, 1 if ts == 1 else 2) + field(119, data))
with open("many.perfetto-trace", "wb") as out:
    out.write(packet(1, 0, KEPT))
    out.write(packet(1000, 1, 1))
    out.write(packet(2000, 0, 1))
END
tracebridge convert many.perfetto-trace -o many.json
echo "status $?"
tail -c 100 many.json
