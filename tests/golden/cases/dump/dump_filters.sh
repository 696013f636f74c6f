# dump prints packets, records or events of some kinds, of one sequence, of a span of time; to a file, quietly.
# exit 2
protos=$DATA/../../protos
protoc -I"$protos" --encode=perfetto.protos.Trace "$protos"/perfetto/*.proto >trace.pftrace <<'END'
packet { clock_snapshot { clocks { clock_id: 6 timestamp: 1000 } clocks { clock_id: 1 timestamp: 5000 } } }
packet { trusted_packet_sequence_id: 7 timestamp: 2000 track_event { type: 3 track_uuid: 1 name: "a" } }
packet { trusted_packet_sequence_id: 8 timestamp: 3000 track_event { type: 3 track_uuid: 1 name: "b" } }
packet { trusted_packet_sequence_id: 8 timestamp: 2500000000 track_event { type: 3 track_uuid: 1 name: "c" } }
END
tracebridge dump --kind clock_snapshot,nothing trace.pftrace | grep -c '^packet'
tracebridge dump --kind 'clock_snapshot, track_event , clock_snapshot' trace.pftrace | grep -c '^packet'
tracebridge dump --after 0ns --before 0ns trace.pftrace
tracebridge dump --sequence 8 trace.pftrace | grep ' name'
tracebridge dump -k track_event --after 2.5us --before 2.5s trace.pftrace | grep ' name'
tracebridge dump --events --after 2.500000001s trace.pftrace
tracebridge dump --events -k instant --sequence 7 trace.pftrace
tracebridge convert -q trace.pftrace -o trace.fxt
tracebridge dump --kind magic trace.fxt | wc -l
tracebridge dump --kind magic trace.fxt -o text.gz && gzip -dc text.gz | wc -l
tracebridge dump -n --kind magic trace.fxt -o text.gz || echo "status $?"
head -c 100 "$DATA/phases/be_pairs.json" >cut.json
tracebridge dump -q cut.json -o - >cut.txt || echo "status $?"
tracebridge dump trace.pftrace -o trace.pftrace || echo "status $?"
tracebridge dump --after 1s trace.fxt || echo "status $?"
tracebridge dump --after soon trace.pftrace
