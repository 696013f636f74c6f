# What is open at the edges of a window is cut there, and a counter's last value before it comes at its start. What the
# packets before it said to their sequence stays, and delta times and increments add up.
cat >all.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 clock_snapshot { primary_trace_clock: 6
  clocks { clock_id: 6 timestamp: 1000 } clocks { clock_id: 64 timestamp: 1000 is_incremental: true } } }
packet { trusted_packet_sequence_id: 1
  trace_packet_defaults { timestamp_clock_id: 64 track_event_defaults { track_uuid: 2 } }
  track_descriptor { uuid: 2 thread { pid: 5 tid: 6 thread_name: "worker" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 3 name: "sum" counter { is_incremental: true } } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  interned_data { event_names { iid: 1 name: "long" } event_names { iid: 2 name: "short" } }
  track_event { type: TYPE_SLICE_BEGIN name_iid: 1 debug_annotations { name: "kept" string_value: "yes" } } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN name_iid: 2 } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 3 counter_value: 7 } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 3 counter_value: 5 } }
packet { timestamp: 50 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN name_iid: 2 } }
packet { timestamp: 10 sequence_flags: 2 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 3 counter_value: 1 } }
packet { timestamp: 100 sequence_flags: 2 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END } }
packet { timestamp: 100 sequence_flags: 2 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END } }
packet { timestamp: 10 trusted_packet_sequence_id: 1 1999 { 1: 7 } }
TEXT
tracebridge trim all.textproto -o part.pftrace --start 80ns --end 150ns --report -
tracebridge dump --events part.pftrace
tracebridge trim -q all.textproto -o part.json --start TRACE:1080ns --end BOOTTIME:1150ns --report - | head -1
grep -c '"ph"' part.json
echo "its last 10 ns have what nobody decodes"
tracebridge trim -q all.textproto -o - --last 10ns | tracebridge dump | tail -6
echo "500 ns later, as Perfetto's and as JSON; what REALTIME read at an event stays"
echo 'packet { trusted_packet_sequence_id: 1 clock_snapshot { primary_trace_clock: 6
  clocks { clock_id: 6 timestamp: 1000 } clocks { clock_id: 1 timestamp: 1700000000000000000 } } }' >clocks.textproto
cat all.textproto >>clocks.textproto
tracebridge trim -q clocks.textproto -o later.pftrace --start 80ns --end 150ns --shift +500ns --json
tracebridge dump --events later.pftrace | grep 'clock snapshot\|slice\|packets'
tracebridge trim -q clocks.textproto -o later.json --start 80ns --end 150ns --shift -1us
grep -o '"ph":"X".*' later.json
echo "no time is below zero, and a window in which nothing is, is said"
tracebridge trim -q clocks.textproto -o early.pftrace --shift -1h --json
tracebridge trim -q clocks.textproto -o empty.pftrace --start 2030-01-01T00:00:00Z

echo "what readers pass over is neither the first nor the last event: it lacks the state of its sequence"
{
  echo 'packet { timestamp: 7 sequence_flags: 2 trusted_packet_sequence_id: 9 track_event { type: TYPE_INSTANT } }'
  cat all.textproto
  echo 'packet { timestamp: 9000 sequence_flags: 2 trusted_packet_sequence_id: 9 track_event { type: TYPE_INSTANT } }'
} >passed_over.textproto
tracebridge trim -q passed_over.textproto -o early.pftrace --end 80ns --json | grep -o '"[a-z]*_ns":[0-9]*' | head -1
tracebridge trim -q passed_over.textproto -o late.pftrace --last 80ns --json | grep -o '"[a-z]*_ns":[0-9]*' | head -1
