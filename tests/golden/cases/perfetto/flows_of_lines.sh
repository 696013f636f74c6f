# An argument that is JSON of several lines is written as it is, also in an event with flows.
cat >lines.textproto <<'END'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 track_descriptor { uuid: 5 thread { pid: 1 tid: 1 } } }
packet {
  trusted_packet_sequence_id: 1 timestamp: 1000
  track_event {
    type: 1 track_uuid: 5 name: "sends" flow_ids: 7
    debug_annotations { name: "j" legacy_json_value: "{\n  \"b\":\n 3\n}" }
  }
}
packet { trusted_packet_sequence_id: 1 timestamp: 2000 track_event { type: 2 track_uuid: 5 } }
packet {
  trusted_packet_sequence_id: 1 timestamp: 3000 track_event { type: 1 track_uuid: 5 name: "receives" flow_ids: 7 }
}
packet { trusted_packet_sequence_id: 1 timestamp: 4000 track_event { type: 2 track_uuid: 5 } }
END
tracebridge convert -q lines.textproto --from text --to json -o -
