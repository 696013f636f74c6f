# Through FXT the name of the idle thread stays its own: thread 0 of a process, by which its counters are known, has
# none.
cat >trace.textproto <<'T'
packet { trusted_packet_sequence_id: 1 timestamp: 10
  track_descriptor { uuid: 5 process { pid: 70 process_name: "app" } } }
packet { trusted_packet_sequence_id: 1 timestamp: 10
  track_descriptor { uuid: 6 parent_uuid: 5 name: "memory" counter {} } }
packet { trusted_packet_sequence_id: 1 timestamp: 15
  track_event { type: TYPE_COUNTER track_uuid: 6 counter_value: 7 } }
packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 1
  event { timestamp: 20 pid: 0 sched_switch { prev_comm: "swapper" prev_pid: 0 prev_prio: 120 prev_state: 0
    next_comm: "main" next_pid: 70 next_prio: 120 } }
  event { timestamp: 30 pid: 70 sched_switch { prev_comm: "main" prev_pid: 70 prev_prio: 120 prev_state: 1
    next_comm: "swapper" next_pid: 0 next_prio: 120 } } } }
T
tracebridge convert -q trace.textproto --from text -o trace.fxt &&
  tracebridge convert -q trace.fxt -o back.pftrace || exit
tracebridge dump --events trace.fxt | sed 's/^@[0-9]* //'
tracebridge dump back.pftrace | grep -B2 swapper
