# The counts of instructions at a slice's begin and end stay two: in JSON, and through FXT.
cat >counts.txt <<'TEXT'
packet {
  trusted_packet_sequence_id: 1 sequence_flags: 1
  trace_packet_defaults { timestamp_clock_id: 6 track_event_defaults { track_uuid: 5 } }
}
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 5 thread { pid: 1 tid: 2 } } }
packet {
  trusted_packet_sequence_id: 1 sequence_flags: 2 timestamp: 1000
  track_event { type: TYPE_SLICE_BEGIN name: "s" thread_instruction_count_absolute: 9 }
}
packet {
  trusted_packet_sequence_id: 1 sequence_flags: 2 timestamp: 2000
  track_event { type: TYPE_SLICE_END thread_instruction_count_absolute: 19 }
}
TEXT
tracebridge convert -q --from text counts.txt -o counts.perfetto-trace
tracebridge convert -q counts.perfetto-trace --to json -o -
tracebridge convert -q counts.perfetto-trace -o counts.fxt
tracebridge convert -q counts.fxt -o back.perfetto-trace
tracebridge dump back.perfetto-trace | grep -E 'type:|count_absolute'
