# Flows of FXT join slices of threads: those of legacy async events, and of frames, are counted as lost.
# exit 4
cat >a.textproto <<'END'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 track_descriptor { uuid: 5 thread { pid: 1 tid: 1 } } }
packet {
  trusted_packet_sequence_id: 1 timestamp: 1000
  track_event { track_uuid: 5 name: "a" flow_ids: 7 legacy_event { phase: 98 global_id: 3 } }
}
packet {
  trusted_packet_sequence_id: 1 timestamp: 2000
  track_event { track_uuid: 5 name: "a" legacy_event { phase: 101 global_id: 3 } }
}
END
tracebridge convert a.textproto --from text -o a.fxt
