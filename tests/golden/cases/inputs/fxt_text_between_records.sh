# Text that a program wrote into an FXT archive, of any length and in a record too, and headers with another size: what
# is no record is passed over and counted, and the records behind are read, at whatever byte they begin. The events that
# are missing are counted, and those that the whole trace does not have: text in a record may be its time.
{
  printf '[{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}}'
  for i in $(seq 1 30); do
    printf ',{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":5,"cat":"c","name":"name %d"' $((i * 10)) $((i % 4))
    printf ',"args":{"i":%d,"text":"value %d","deep":{"x":1.5}}}' "$i" "$i"
    printf ',{"ph":"C","pid":1,"ts":%d,"name":"counter","args":{"n":%d}}' $((i * 10 + 1)) "$i"
    printf ',{"ph":"i","s":"t","pid":1,"tid":1,"ts":%d,"name":"name %d"}' $((i * 10 + 2)) $((i % 4))
  done
  printf ']'
} >trace.json
tracebridge convert -q trace.json -o trace.fxt
cat >damage.py <<'P'
import random, struct, subprocess, sys
data = open("trace.fxt", "rb").read()
records, at = [], 0
while at < len(data):
    header = struct.unpack_from("<Q", data, at)[0]
    records.append(at)
    at += (header >> 4 & (0xfff if header & 15 != 15 else 0xffffffff)) * 8
first = next(i for i in range(len(records)) if b"value 1" in data[records[i]:records[i] + 200])
events = lambda output: [line.split(" ", 1)[1] for line in output.decode().splitlines()]
def dump(trace):
    result = subprocess.run(["tracebridge", "dump", "--events", "-"], input=trace, capture_output=True)
    return result.returncode, events(result.stdout)
whole = dump(data)[1]
def try_all(what, traces):
    most, statuses, odd = 0, set(), []
    for trace in traces:
        status, found = dump(trace)
        statuses.add(status)
        most = max(most, sum(event not in found for event in whole))
        odd += [event for event in found if event not in whole]
    print(what, "status", sorted(statuses), "most missing", most, "odd", len(odd))
text = b"W/program: something went wrong at line 12, going on\n" * 20
places = records[first + 8::7]
insert = lambda at, size: data[:at] + text[:size] + data[at:]
flip = lambda at, bit: data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:]
try_all("between", [insert(at, size) for at in places[::3] for size in (1, 2, 7, 8, 9, 53, 64, 1000)])
try_all("inside", [insert(at + 3 + i % 20, size) for i, at in enumerate(places[::2]) for size in (5, 8, 333)])
try_all("size", [flip(at, bit) for at in places[::2] for bit in (4, 5, 6, 7)])
try_all("size", [flip(at + 1, bit) for at in places for bit in (0, 3, 7)])
P
python3 damage.py
