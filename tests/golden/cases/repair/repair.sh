# What can be read stays, and verify finds nothing of what was mended: a file that was cut, a damaged block, a packet
# that is damaged inside, a clock that runs backwards, JSON into which another process wrote, JSON that was cut.
count() { tracebridge dump --events "$1" | grep -c 'slice begin\|slice complete\|instant'; }
errors() {
  tracebridge verify "$1" | sed -n 's/^\(error\|warning\) *\([a-z_]*\): \([0-9]*\).*/\2 \3/p' | tr '\n' ';'
  echo
}
snapshot() {
  echo "packet { trusted_packet_sequence_id: 1 clock_snapshot { primary_trace_clock: 6"
  echo "clocks { clock_id: 6 timestamp: $1 } clocks { clock_id: 3 timestamp: $2 } } }"
}
{
  snapshot 90 90
  echo 'packet { trusted_packet_sequence_id: 2 sequence_flags: 1'
  echo 'track_descriptor { uuid: 5 thread { pid: 1 tid: 2 thread_name: "t" } } }'
  for i in $(seq 100 199); do
    echo "packet { trusted_packet_sequence_id: 2 sequence_flags: 2 timestamp: $i"
    echo "track_event { type: TYPE_INSTANT track_uuid: 5 name: \"event $i\" } }"
    test "$i" = 150 && snapshot 150 40
  done
} >all.txt
tracebridge convert -q all.txt --from text -o all.pftrace
echo "a clock runs backwards"
errors all.pftrace
tracebridge repair all.pftrace -o clock.pftrace
errors clock.pftrace; count clock.pftrace
echo "cut"
head -c $(($(wc -c <clock.pftrace) - 7)) clock.pftrace >cut.pftrace
errors cut.pftrace
tracebridge repair cut.pftrace -o mended.pftrace --json
errors mended.pftrace; count mended.pftrace
echo "a damaged block"
{ head -c 1500 clock.pftrace; head -c 200 /dev/zero | tr '\0' '\377'; tail -c +1701 clock.pftrace; } >block.pftrace
errors block.pftrace
tracebridge repair -q block.pftrace -o mended.pftrace; echo $?
errors mended.pftrace; count mended.pftrace
echo "packets with damage inside: of two events, in a name and in the packet itself, and in interned data"
{
  echo 'packet { trusted_packet_sequence_id: 2 sequence_flags: 2'
  echo 'interned_data { event_names { iid: 1 name: "interned" } } }'
  echo 'packet { trusted_packet_sequence_id: 2 sequence_flags: 2 timestamp: 210'
  echo 'track_event { type: TYPE_INSTANT track_uuid: 5 name: "last" } }'
} >tail.txt
tracebridge convert -q tail.txt --from text -o tail.pftrace
python3 -c '
data = bytearray(open("clock.pftrace", "rb").read() + open("tail.pftrace", "rb").read())
for at in (data.index(b"event 120") - 1, data.index(b"interned") - 1): data[at] = 100
name = data.index(b"event 140")
data[data.rindex(b"\x5a", 0, name) + 1] = 100
open("inside.pftrace", "wb").write(data)'
errors inside.pftrace
tracebridge repair -q inside.pftrace -o mended.pftrace --json; echo $?
errors mended.pftrace; count mended.pftrace
echo "JSON into which another process wrote, and which was cut"
event() { printf '{"ph":"X","name":"%s","pid":1,"tid":1,"ts":%d,"dur":1},\n' "$1" "$2"; }
{
  printf '['
  for i in $(seq 0 9); do event a "$i"; done
  printf '{"ph":"X","name":"torn'
  event b 5
  printf '","pid":1,"tid":1,"ts":7,"dur":1},\n'
  for i in $(seq 10 19); do event a "$i"; done
  printf '{"ph":"X","na'
} >torn.json
errors torn.json
tracebridge repair torn.json -o whole.json
errors whole.json; count whole.json
