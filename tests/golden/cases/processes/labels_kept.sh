# Labels and sort indexes of Perfetto's descriptors are in Perfetto's and FXT's outputs, too, and what metadata says of
# them stays where the process gets its name behind it: they were left out, and nothing said so.
cat >in.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 sequence_flags: 1
  track_descriptor { uuid: 1 process { pid: 5 process_name: "p" process_labels: "one" process_labels: "two"
    legacy_sort_index: 3 } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 2 thread { pid: 5 tid: 6 legacy_sort_index: -4 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 10 track_event { type: TYPE_INSTANT track_uuid: 2 name: "x" } }
TEXT
tracebridge convert -q in.textproto -o out.perfetto-trace && tracebridge convert -q in.textproto -o out.fxt
for format in json fxt perfetto-trace; do
  tracebridge convert -q out.perfetto-trace -o "again.$format"
  tracebridge diff in.textproto "again.$format" | sed -n 3p
done
tracebridge convert -q out.perfetto-trace -o - --to json && tracebridge convert -q out.fxt -o - --to json
echo '[{"ph":"M","name":"process_labels","pid":5,"args":{"labels":"one,two"}},
{"ph":"M","name":"process_name","pid":5,"args":{"name":"p"}},{"ph":"i","name":"x","pid":5,"tid":6,"ts":1}]' >late.json
tracebridge convert -q late.json -o late.fxt && tracebridge diff late.json late.fxt | sed -n 3p
