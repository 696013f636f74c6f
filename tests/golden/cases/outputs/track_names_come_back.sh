# A track of Perfetto comes back from JSON with its name, whole where its slices have several categories, and of no
# process where it is of none.
cat >a.txt <<'EOF'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1
  track_descriptor { uuid: 1 process { pid: 20 process_name: "web" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 2 parent_uuid: 1 name: "frames" } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 3 name: "of no process" } }
packet { timestamp: 1000 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 2 name: "outer" categories: "a" } }
packet { timestamp: 1200 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 2 name: "inner" categories: "b" } }
packet { timestamp: 1300 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END track_uuid: 2 } }
packet { timestamp: 1400 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END track_uuid: 2 } }
packet { timestamp: 1500 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 3 name: "alone" } }
packet { timestamp: 1600 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END track_uuid: 3 } }
packet { timestamp: 1700 trusted_packet_sequence_id: 1
  track_event { type: TYPE_INSTANT track_uuid: 3 name: "at once" } }
EOF
tracebridge convert -q a.txt -o there.json
tracebridge convert -q there.json -o back.pftrace
cat there.json
tracebridge diff a.txt back.pftrace
tracebridge convert -q back.pftrace -o again.json
tracebridge diff -q there.json again.json && echo "the same again"
# So does a counter whose name is one word, or that is of no process.
cat >counters.txt <<'EOF'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1
  track_descriptor { uuid: 1 process { pid: 20 process_name: "web" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 2 parent_uuid: 1 name: "fps" counter { } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 3 name: "free memory" counter { } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 4 parent_uuid: 1 name: "two words" counter { } } }
packet { timestamp: 1000 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 2 counter_value: 60 } }
packet { timestamp: 1000 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 3 counter_value: 7 } }
packet { timestamp: 1000 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 4 counter_value: 8 } }
packet { timestamp: 2000 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 2 counter_value: 30 } }
EOF
tracebridge convert -q counters.txt -o counters.json
tracebridge convert -q counters.json -o back.pftrace
cat counters.json
tracebridge diff counters.txt back.pftrace
tracebridge convert -q back.pftrace -o again.json
tracebridge diff -q counters.json again.json && echo "the same again"
# Through FXT tracks do so too.
tracebridge convert -q a.txt -o there.fxt
tracebridge convert -q there.fxt -o back.pftrace
tracebridge diff a.txt back.pftrace
