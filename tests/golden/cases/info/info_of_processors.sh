# Slices out of the buffers of two processors are in each other by their times, whatever the order of the buffers; and
# an arrow of a flow goes from each of its ends to the next.
cat >in.txt <<'END'
packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0
  event { timestamp: 10000 pid: 7 print { buf: "B|7|outer\n" } }
  event { timestamp: 30000 pid: 7 print { buf: "E|7\n" } }
  event { timestamp: 40000 pid: 7 print { buf: "E|7\n" } } } }
packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 1
  event { timestamp: 20000 pid: 7 print { buf: "B|7|inner\n" } } } }
packet { trusted_packet_sequence_id: 2 timestamp: 50000 track_event { type: 3 flow_ids: 1 flow_ids: 2 } }
packet { trusted_packet_sequence_id: 2 timestamp: 60000 track_event { type: 3 flow_ids: 1 } }
packet { trusted_packet_sequence_id: 2 timestamp: 70000 track_event { type: 3 terminating_flow_ids: 1 } }
packet { trusted_packet_sequence_id: 2 timestamp: 80000 track_event { type: 3 flow_ids: 1 } }
packet { trusted_packet_sequence_id: 2 timestamp: 90000 track_event { type: 3 terminating_flow_ids: 1 } }
END
tracebridge convert -q in.txt -o in.pftrace
tracebridge info in.pftrace | sed -n '/^events/p;/^slices/,/^processes/p;/^oddities/,$p'
