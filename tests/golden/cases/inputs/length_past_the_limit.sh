# A packet whose length says more than the limit hides nothing of what follows it, in a pipe as in a file.
for i in $(seq 100 120); do
  echo "packet { trusted_packet_sequence_id: 2 timestamp: $i"
  echo "track_event { type: TYPE_INSTANT track_uuid: 5 name: \"$i\" } }"
done >trace.txt
tracebridge convert -q trace.txt --from text -o trace.pftrace
cat >damage.py <<'P'
import sys
data, at = open("trace.pftrace", "rb").read(), 0
for _ in range(8): at += 2 + data[at + 1]
body = at + 2
def varint(n):
    out = b""
    while n > 127: out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])
open("endless.pftrace", "wb").write(data[:at + 1] + varint(1 << 40) + data[body:])
open("long.pftrace", "wb").write(data[:at + 1] + varint(300 << 20) + data[body:])
P
python3 damage.py
for name in endless long; do
  tracebridge convert $name.pftrace -o file.json 2>summary
  echo "$name: file $?, $(grep -c '"ph"' file.json) events"; sed -n '/lost:/,$p' summary
  cat $name.pftrace | tracebridge convert - --to json >pipe.json 2>summary
  echo "$name: pipe $?, $(grep -c '"ph"' pipe.json) events"; sed -n '/lost:/,$p' summary
  cmp file.json pipe.json
done
