# What the conversion of any part lost, not of the last one alone.
# exit 4
echo 'packet { clock_snapshot { clocks { clock_id: 6 timestamp: 10 } clocks { clock_id: 3 timestamp: 9 } } }
packet { sys_stats { num_forks: 1 } }
packet { track_descriptor { uuid: 3 process { pid: 3 } } trusted_packet_sequence_id: 1 }
packet { timestamp: 30 trusted_packet_sequence_id: 1 track_event { type: TYPE_INSTANT track_uuid: 3 name: "a" } }' \
  >in.textproto
tracebridge split in.textproto --by process --suffix .json -o parts
