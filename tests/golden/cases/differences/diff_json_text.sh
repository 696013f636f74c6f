# An argument that is JSON text is what the text says, in a conversion that has it as members.
cat >a.textproto <<'END'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 track_descriptor { uuid: 5 thread { pid: 1 tid: 1 } } }
packet {
  trusted_packet_sequence_id: 1 timestamp: 1000
  track_event {
    type: 1 track_uuid: 5 name: "a"
    debug_annotations { name: "j" legacy_json_value: "{\"k\": [1, {\"l\": \"x\"}], \"e\": {}}" }
    debug_annotations { name: "n" legacy_json_value: "12" }
    debug_annotations { name: "bad" legacy_json_value: "{" }
  }
}
packet { trusted_packet_sequence_id: 1 timestamp: 2000 track_event { type: 2 track_uuid: 5 } }
END
sed 's/\[1,/[2,/' a.textproto >other.textproto
tracebridge convert -q a.textproto --from text --to json -o a.json
tracebridge diff a.textproto a.json
tracebridge diff other.textproto a.json
echo "status $?"
