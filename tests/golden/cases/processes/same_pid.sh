# Two processes of one trace that have one pid, as after a reboot or where numbers come again, are two in formats that
# know processes by their number: the later one gets a made-up pid, which is said; described again, each keeps its own.
cat >in.textproto <<'END'
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 process { pid: 10 process_name: "first" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 2 parent_uuid: 1 thread { pid: 10 tid: 10 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 1000 track_event { type: 1 track_uuid: 2 name: "a" } }
packet { trusted_packet_sequence_id: 2 track_descriptor { uuid: 3 process { pid: 10 process_name: "second" } } }
packet { trusted_packet_sequence_id: 2 track_descriptor { uuid: 4 parent_uuid: 3 thread { pid: 10 tid: 10 } } }
packet { trusted_packet_sequence_id: 2 track_descriptor { uuid: 5 parent_uuid: 3 thread { pid: 10 tid: 11 } } }
packet { trusted_packet_sequence_id: 2 timestamp: 1500 track_event { type: 1 track_uuid: 4 name: "b" } }
packet { trusted_packet_sequence_id: 2 timestamp: 1600 track_event { type: 3 track_uuid: 5 name: "c" } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 process { pid: 10 process_name: "first" } } }
packet { trusted_packet_sequence_id: 1 timestamp: 2000 track_event { type: 2 track_uuid: 2 } }
packet { trusted_packet_sequence_id: 2 track_descriptor { uuid: 3 process { pid: 10 process_name: "second" } } }
packet { trusted_packet_sequence_id: 2 timestamp: 2500 track_event { type: 2 track_uuid: 4 } }
END
tracebridge convert in.textproto -o out.json
cat out.json
tracebridge convert -q in.textproto -o out.fxt
tracebridge info out.fxt | grep ^tracks
# Perfetto knows them apart
tracebridge convert in.textproto -o out.pftrace 2>&1 | grep noted
tracebridge info out.pftrace | grep ^tracks
