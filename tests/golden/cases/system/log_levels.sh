# The level of a log message that a slice has, or an instant with a name of its own, comes back from FXT: as the
# argument that JSON has.
cat >trace.textproto <<'T'
packet { trusted_packet_sequence_id: 1 timestamp: 0 sequence_flags: 1
  track_descriptor { uuid: 12 thread { pid: 123 tid: 345 thread_name: "t" } }
  interned_data { log_message_body { iid: 1 body: "it burns" } } }
packet { trusted_packet_sequence_id: 1 timestamp: 10 sequence_flags: 2
  track_event { type: TYPE_INSTANT track_uuid: 12 name: "named" log_message { body_iid: 1 prio: PRIO_WARN } } }
packet { trusted_packet_sequence_id: 1 timestamp: 20 sequence_flags: 2
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 12 name: "slice" log_message { body_iid: 1 prio: PRIO_ERROR } } }
packet { trusted_packet_sequence_id: 1 timestamp: 30 sequence_flags: 2
  track_event { type: TYPE_SLICE_END track_uuid: 12 } }
packet { trusted_packet_sequence_id: 1 timestamp: 40 sequence_flags: 2
  track_event { type: TYPE_INSTANT track_uuid: 12 log_message { body_iid: 1 prio: PRIO_INFO } } }
T
tracebridge convert -q trace.textproto --from text -o trace.pftrace &&
  tracebridge convert -q trace.pftrace -o trace.fxt && tracebridge convert -q trace.fxt -o back.pftrace || exit
tracebridge dump --events back.pftrace | grep -o 'name="[ns].*\|log .*'
tracebridge diff trace.pftrace back.pftrace | sed -n 3p
