# With --no-args the texts go that arguments alone refer to: interned names, values, types, messages, places in sources,
# also of packets that go; but not what an annotation needs that has what JSON says of an event, nor kinds of flow
# events.
cat >in.textproto <<'END'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1 track_descriptor { uuid: 20 thread { pid: 10 tid: 11 } } }
packet { trusted_packet_sequence_id: 1 sequence_flags: 2 interned_data {
  event_names { iid: 1 name: "name" } debug_annotation_names { iid: 1 name: "mine.key" }
  debug_annotation_names { iid: 2 name: "trace_event" } debug_annotation_names { iid: 3 name: "ph" }
  debug_annotation_string_values { iid: 1 str: "mine.value" } log_message_body { iid: 1 body: "mine.body" }
  debug_annotation_value_type_names { iid: 1 name: "mine.Type" } histogram_names { iid: 1 name: "mine.histogram" }
  source_locations { iid: 1 file_name: "mine.cc" } correlation_id_str { iid: 1 str: "mine.id" } } }
packet { trusted_packet_sequence_id: 1 sequence_flags: 2 timestamp: 1 track_event { type: 1 track_uuid: 20 name_iid: 1
  debug_annotations { name_iid: 1 string_value_iid: 1 } } }
packet { trusted_packet_sequence_id: 1 sequence_flags: 2 timestamp: 2 track_event { type: 2 track_uuid: 20
  debug_annotations { name_iid: 4 int_value: 4 } } interned_data {
  debug_annotation_names { iid: 4 name: "mine.other" } } }
packet { trusted_packet_sequence_id: 1 sequence_flags: 2 timestamp: 4 track_event { type: 3 track_uuid: 20 name: "goes"
  debug_annotations { name_iid: 5 } } interned_data {
  debug_annotation_names { iid: 5 name: "mine.gone" } event_names { iid: 2 name: "named with it" } } }
packet { trusted_packet_sequence_id: 1 sequence_flags: 2 timestamp: 5 track_event { type: 3 track_uuid: 20 name_iid: 2
  debug_annotations { name_iid: 2 dict_entries { name_iid: 3 string_value: "R" } } } }
END
tracebridge filter -q in.textproto --no-args --name '!goes' -o out.pftrace
tracebridge dump out.pftrace | grep -c mine
tracebridge dump out.pftrace | grep 'name: '
tracebridge convert -q out.pftrace --to json
printf '%s' '[{"ph":"X","name":"a","ts":1,"dur":5,"pid":1,"tid":1,"cname":"good","args":{"mine.key":"mine.value"}},' \
  '{"ph":"s","name":"f","cat":"c","id":"mine.id","ts":2,"pid":1,"tid":1,"args":{"mine.key":"mine.value"}},' \
  '{"ph":"f","name":"f","cat":"c","id":"mine.id","ts":8,"pid":1,"tid":2}]' >in.json
tracebridge filter -q in.json --no-args -o out.json
cat out.json
tracebridge convert -q in.json -o in.pftrace
tracebridge filter -q in.pftrace --no-args -o out.pftrace
tracebridge dump out.pftrace | grep 'mine'
tracebridge convert -q out.pftrace --to json
