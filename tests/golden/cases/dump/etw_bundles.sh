# Windows' operations on files: a bundle that makes more events than a batch takes is the same events as a bundle for
# each; names of the classes of information.
python3 - <<'END'
def number(n):
    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
def value(tag, n):
    return number(tag << 3) + number(n)
def field(tag, data):
    return number(tag << 3 | 2) + number(len(data)) + data
def event(ts, thread, kind, data):
    return field(2, value(1, ts) + value(4, 0) + value(5, thread) + field(kind, data))
INFO, MEMORY, END = 9, 6, 12
events = []
for i in range(1200):
    events.append(event(10 * i, i % 3, INFO, value(1, 1 + i % 5) + value(6, i % 90) + value(4, i)))
    if i % 2:
        events.append(event(10 * i + 5, i % 3, END, value(1, 1 + i % 5)))
    if i % 100 == 99:
        events.append(event(10 * i + 6, 0, MEMORY, b"".join(value(7, n) for n in range(700))))
    if i % 10 == 9:  # neither time nor processor
        events.append(field(2, field(END, value(1, 1))))
def packet(bundle):
    return field(1, field(95, bundle))
with open("one.perfetto-trace", "wb") as out:
    out.write(packet(b"".join(events)))
with open("each.perfetto-trace", "wb") as out:
    out.write(b"".join(map(packet, events)))
END
for trace in one each; do
  tracebridge dump --events $trace.perfetto-trace 2> $trace.err | sed 's/^@[0-9]* //' | grep -v '^track' > $trace
  sed 's/ (first.*//; s/.*: lost/lost/' $trace.err
done
cmp one each && wc -l < one
grep -o '"Info Class":[^,}]*' one | head -n 90 | sort -u -t : -k 2 | wc -l
grep '^slice begin' one | sed -n 14,15p
grep '^slice begin' one | sed -n '20,21p;90p'
