# Times that are written as differences, as our writer does it, are too early behind a packet that is lost, by its own:
# that is said. Of a trace that was cut nothing is behind, and of one with whole times nothing is wrong.
for i in $(seq 100 120); do
  printf '{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":1,"name":"event %d"},\n' $((i * 10)) "$i"
done >trace.json
tracebridge convert -q trace.json -o trace.pftrace
cat >damage.py <<'P'
import sys
source, target, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
data, at = bytearray(open(source, "rb").read()), 0
for _ in range(number):
    size, shift, at = 0, 0, at + 1
    while data[at] & 0x80:
        size, shift, at = size | (data[at] & 0x7f) << shift, shift + 7, at + 1
    at += 1 + (size | data[at] << shift)
body = at + (2 if data[at + 1] < 0x80 else 3)
open("cut.pftrace", "wb").write(data[:body + 2])
data[body] = 7  # a field of no type
open(target, "wb").write(data)
P
python3 damage.py trace.pftrace damaged.pftrace 14
for name in damaged cut; do
  tracebridge convert $name.pftrace -o $name.json 2>summary; echo "$name $?"
  sed -n '/lost:/,$p' summary
done
tracebridge dump --events damaged.pftrace 2>stderr |
  sed -n 's/.*\(ts=[0-9]* \).*\(name="event[^"]*"\).*/\1\2/p' | sed -n 7,12p
echo "--- what cuts and merges says it too"
for command in merge trim filter repair; do
  tracebridge $command -q damaged.pftrace -o out.pftrace 2>&1; echo "$command $?"
done
tracebridge merge -q cut.pftrace -o out.pftrace 2>&1; echo "cut $?"
tracebridge split -q damaged.pftrace --by process -o parts 2>&1; echo "split $?"
echo "--- a length that says more than there is"
cat >longer.py <<'P'
data, at = open("trace.pftrace", "rb").read(), 0
for _ in range(14):
    at += 2 + data[at + 1] if data[at + 1] < 0x80 else 3 + (data[at + 1] & 0x7f) + (data[at + 2] << 7)
open("longer.pftrace", "wb").write(data[:at + 1] + b"\xff\xff\xff\xff\x07" + data[at + 2:])
P
python3 longer.py
tracebridge convert longer.pftrace -o longer.json 2>summary; echo "longer $?"
sed -n '/lost:/,$p' summary
tracebridge merge -q longer.pftrace -o out.pftrace 2>&1; echo "merge $?"
for i in 1 2 3; do
  echo "packet { trusted_packet_sequence_id: 2 timestamp: $i"
  echo "track_event { type: TYPE_INSTANT track_uuid: 5 name: \"$i\" } }"
done >whole.txt
tracebridge convert -q whole.txt --from text -o whole.pftrace
python3 damage.py whole.pftrace damaged.pftrace 1
tracebridge convert damaged.pftrace -o whole.json 2>summary; echo "whole times $?"
sed -n '/lost:/,$p' summary
