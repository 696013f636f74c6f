# A place in a source, a correlation id and a count of instructions are carried by FXT, and are TrackEvent's own fields
# again on the way back.
cat > in.textproto <<'END'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 track_descriptor { uuid: 5 thread { pid: 3 tid: 4 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 1000 track_event { type: TYPE_SLICE_BEGIN track_uuid: 5 name: "a"
  source_location { file_name: "a.c" function_name: "f" line_number: 7 } correlation_id: 9
  thread_instruction_count_absolute: 500 } }
packet { trusted_packet_sequence_id: 1 timestamp: 2000 track_event { type: TYPE_SLICE_END track_uuid: 5 } }
packet { trusted_packet_sequence_id: 1 timestamp: 3000 track_event { type: TYPE_INSTANT track_uuid: 5 name: "b"
  correlation_id_str: "nine" source_location { function_name: "g" } } }
END
tracebridge convert -q --from text in.textproto -o in.pftrace
tracebridge convert -q in.pftrace -o there.fxt
tracebridge convert -q there.fxt -o back.pftrace
tracebridge dump back.pftrace | sed -n '/^ *track_event {/,/^  }/p'
