# Two counters of a thread that have a meaning and no name stay two in a format that goes by the name.
cat >counters.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 thread { pid: 5 tid: 6 thread_name: "w" } } }
packet { trusted_packet_sequence_id: 1
  track_descriptor { uuid: 2 parent_uuid: 1 counter { type: COUNTER_THREAD_TIME_NS } } }
packet { trusted_packet_sequence_id: 1
  track_descriptor { uuid: 3 parent_uuid: 1 counter { type: COUNTER_THREAD_INSTRUCTION_COUNT } } }
packet { timestamp: 10 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 2 counter_value: 5000 } }
packet { timestamp: 20 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 3 counter_value: 7 } }
TEXT
tracebridge convert -q counters.textproto -o - --to json
tracebridge info --brief counters.textproto
