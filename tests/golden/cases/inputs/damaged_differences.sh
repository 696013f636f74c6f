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
for i in 1 2 3; do
  echo "packet { trusted_packet_sequence_id: 2 timestamp: $i"
  echo "track_event { type: TYPE_INSTANT track_uuid: 5 name: \"$i\" } }"
done >whole.txt
tracebridge convert -q whole.txt --from text -o whole.pftrace
python3 damage.py whole.pftrace damaged.pftrace 1
tracebridge convert damaged.pftrace -o whole.json 2>summary; echo "whole times $?"
sed -n '/lost:/,$p' summary
