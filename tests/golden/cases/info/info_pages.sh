# A page for each format; a member of an archive is named; the first lines say that a file is cut, or holds several.
made=$HELPERS/../data
for trace in fxt/events.fxt recorder.perfetto-trace sequences.perfetto-trace; do
  echo "--- $trace"
  tracebridge info "$made/$trace"
done
echo "--- ftrace text"
tracebridge info "$DATA/ftrace/small.ftrace"
echo "--- json"
tracebridge info "$DATA/phases/system_trace_events.json"
echo "--- protobuf text"
tracebridge dump -q "$made/sequences.perfetto-trace" -o sequences.txt
tracebridge info sequences.txt | head -4
echo "--- archive"
cp "$DATA/phases/be_pairs.json" a.json
python3 -c '
import zipfile
with zipfile.ZipFile("a.zip", "w") as archive: archive.write("a.json", "inside/a.json")'
tracebridge info a.zip | head -3
tracebridge info nothing.json a.zip 2>&1 | head -3

echo "--- several"
uuid() {
  printf 'packet { trace_uuid { msb: %d lsb: 2 } }\npacket { timestamp: 5 trusted_packet_sequence_id: 1\n' "$1"
  echo '  track_event { type: TYPE_INSTANT track_uuid: 1 } }'
}
uuid 1 >one.txt
uuid 7 >other.txt
tracebridge convert -q one.txt -o one.pftrace
tracebridge convert -q other.txt -o other.pftrace
cat one.pftrace other.pftrace >both.pftrace
cat one.pftrace one.pftrace >same.pftrace
begins() { echo 'packet { timestamp: 5 trusted_packet_sequence_id: 2 sequence_flags: 3 first_packet_on_sequence: true
  track_event { type: TYPE_INSTANT track_uuid: 1 } }'; }
begins >begins.txt
tracebridge convert -q begins.txt -o no-uuid.pftrace
cat no-uuid.pftrace no-uuid.pftrace >no-uuids.pftrace # of the time before traces had uuids
cat a.json a.json a.json >both.json
cat "$made/fxt/events.fxt" "$made/fxt/events.fxt" >both.fxt
for file in both.pftrace same.pftrace no-uuids.pftrace both.json both.fxt; do
  echo "$file: $(tracebridge info "$file" | grep '^holds\|more trace(s)')"
done
tracebridge convert both.json -o both.out.pftrace 2>&1 | grep noted

echo "--- cut"
gzip -k a.json
for file in a.json "$made/recorder.perfetto-trace" "$made/fxt/events.fxt" "$DATA/ftrace/small.ftrace" a.json.gz; do
  head -c $(($(wc -c <"$file") - 13)) "$file" >"cut-${file##*/}"
  echo "${file##*/}: $(tracebridge info "cut-${file##*/}" 2>&1 | grep '^cut\|^damaged')"
done
