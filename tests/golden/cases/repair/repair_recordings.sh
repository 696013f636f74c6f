# Recordings of Perfetto that were put one behind the other become files of their own: each has its clocks, tracks and
# names, byte for byte what it was. A further file that is there already, or the input, is not written over.
recording() { # UUID-OR-NOTHING BOOTTIME WALL NAME
  echo "packet { trusted_packet_sequence_id: 1 clock_snapshot { primary_trace_clock: 6"
  echo "clocks { clock_id: 6 timestamp: $2 } clocks { clock_id: 3 timestamp: $2 }"
  echo "clocks { clock_id: 1 timestamp: $3 } } }"
  echo "packet { trusted_packet_sequence_id: 1 synchronization_marker: \"0123456789abcdef\" }"
  echo "packet { trusted_packet_sequence_id: 1 trace_config { duration_ms: 5 } }"
  test "$1" && echo "packet { trusted_packet_sequence_id: 1 trace_uuid { msb: $1 lsb: 2 } }"
  echo "packet { trusted_packet_sequence_id: 2 sequence_flags: 1 timestamp: $(($2 + 100))"
  echo "interned_data { event_names { iid: 1 name: \"$4\" } }"
  echo "track_descriptor { uuid: 5 thread { pid: ${#4} tid: 2 thread_name: \"$4\" } } }"
  for at in 200 300; do
    echo "packet { trusted_packet_sequence_id: 2 sequence_flags: 2 timestamp: $(($2 + at))"
    echo "timestamp_clock_id: 3 track_event { type: TYPE_INSTANT track_uuid: 5 name_iid: 1 } }"
  done
  echo "packet { trusted_packet_sequence_id: 1 trace_stats { chunks_discarded: 0 } }"
}
encode() { tracebridge convert -q --from text - -o "$1"; }
recording 1 90000000000000 1700000000000000000 first | encode one.pftrace
recording 3 4000000000 1700000900000000000 other | encode two.pftrace
recording '' 5000000000 1700000901000000000 third | encode three.pftrace
cat one.pftrace two.pftrace three.pftrace >all.pftrace
tracebridge verify all.pftrace | grep second_trace
tracebridge repair all.pftrace -o whole.pftrace
cmp whole.pftrace one.pftrace && cmp whole.2.pftrace two.pftrace && cmp whole.3.pftrace three.pftrace &&
  echo as they were
for file in whole*.pftrace; do tracebridge verify "$file"; done
echo "--- one of them is damaged, all compressed, to JSON"
{
  cat one.pftrace
  head -c 170 two.pftrace
  head -c 10 /dev/zero | tr '\0' '\377'
  tail -c +181 two.pftrace
} | gzip >all.gz
tracebridge repair all.gz -o json.json.gz --json
for file in json.json.gz json.2.json.gz; do tracebridge dump --events "$file" | grep instant; done
echo "--- no room for the second"
touch whole.2.pftrace
tracebridge repair all.pftrace -o whole.pftrace; echo $?
tracebridge repair all.pftrace -o - | wc -c
cp all.pftrace in.2.pftrace
tracebridge repair in.2.pftrace -o in.pftrace; echo $?
cmp in.2.pftrace all.pftrace; ls in*
echo "--- JSON and FXT have no clocks and tracks of their own"
echo '[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1}]' >a.json
cat a.json a.json >aa.json
tracebridge repair aa.json -o out.json
