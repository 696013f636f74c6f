# Slices that begin at the start do so in the order in which they began, which may be another one than that of the file.
# Where no Perfetto trace is written, each begin stays in front of its end: one behind it would not find it.
cat >late.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 thread { pid: 5 tid: 6 thread_name: "one" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 2 thread { pid: 5 tid: 7 thread_name: "two" } } }
packet { timestamp: 3000 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 1 name: "later" } }
packet { timestamp: 8000 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END track_uuid: 1 } }
packet { timestamp: 2000 trusted_packet_sequence_id: 2
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 2 name: "earlier" } }
packet { timestamp: 7000 trusted_packet_sequence_id: 2 track_event { type: TYPE_SLICE_END track_uuid: 2 } }
TEXT
tracebridge trim -q late.textproto -o part.json --start TRACE:3500ns --end TRACE:9000ns
grep -o '"ph":"[^M].*' part.json
tracebridge trim -q late.textproto -o part.pftrace --start TRACE:3500ns --end TRACE:9000ns
tracebridge dump --events part.pftrace | grep 'slice begin'
# Of events of Windows the end of an operation that is open at the end comes behind its begin in the same way.
cat >files.textproto <<'TEXT'
packet { etw_events {
  event { timestamp: 1000 cpu: 1 thread_id: 7 file_io_create { irp_ptr: 10 open_path: "a" } }
  event { timestamp: 2000 cpu: 1 thread_id: 7 file_io_simple_op { irp_ptr: 11 opcode: 73 } } } }
packet { etw_events {
  event { timestamp: 5000 cpu: 1 thread_id: 7 file_io_op_end { irp_ptr: 11 } }
  event { timestamp: 6000 cpu: 1 thread_id: 7 file_io_op_end { irp_ptr: 10 nt_status: 5 } } } }
TEXT
tracebridge trim -q files.textproto -o part.json --start TRACE:1500ns --end TRACE:3000ns
grep -o '"name":"[^M].*' part.json
# Times below 0 stay: those of a build that began before what it measures from.
echo '[{"ph":"X","name":"before","ts":-1000,"dur":900,"pid":1,"tid":1},{"ph":"X","name":"behind","ts":5000,"dur":1000,"pid":1,"tid":1}]' >zero.json
for window in "--start 500us" "--end 500us" "--start 200us --end 600us" "--start 500us --shift 2ms"; do
  # shellcheck disable=SC2086 # two options
  tracebridge trim -q zero.json -o part.json $window
  grep -o '"name":"[^M].*' part.json
done
