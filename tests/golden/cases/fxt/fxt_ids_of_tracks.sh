# A track without an id is its uuid in async records, unless an id of the trace is that number.
cat >trace.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 track_descriptor { uuid: 1 process { pid: 5 } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 7 parent_uuid: 1 name: "own track" } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 2 thread { pid: 5 tid: 6 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 1000 track_event { type: TYPE_SLICE_BEGIN track_uuid: 7 name: "s" } }
packet { trusted_packet_sequence_id: 1 timestamp: 2000
  track_event { track_uuid: 2 name: "s" legacy_event { phase: 98 unscoped_id: 7 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 3000 track_event { type: TYPE_SLICE_END track_uuid: 7 } }
packet { trusted_packet_sequence_id: 1 timestamp: 4000
  track_event { track_uuid: 2 name: "s" legacy_event { phase: 101 unscoped_id: 7 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 5000 track_event { type: TYPE_INSTANT track_uuid: 7 name: "mark" } }
TEXT
tracebridge convert -q trace.textproto -o trace.fxt && tracebridge dump trace.fxt | grep async
