# What verify says of traces with errors, with warnings alone, and with nothing; from files and a pipe.
# exit 1
tracebridge verify "$DATA/phases/be_pairs.json"
echo "status $?"
tracebridge verify "$DATA/damage/end_without_begin.json"
echo "status $?"
tracebridge verify - <"$DATA/damage/cut_in_event.json"
echo "status $?"
tracebridge verify -q --json "$DATA/damage/bad_numbers.json" | python3 -m json.tool
tracebridge verify "$DATA/damage/negative_duration.json" "$DATA/phases/flows.json"
echo "status $?"
# what is not in the order of time is read once, from a file that the shell opened
tracebridge verify - <"$DATA/phases/async_overlap.json"
echo "status $?"
# columns of scheduling of which one is shorter than the others
cat >sched.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0 compact_sched { intern_table: "a"
  switch_timestamp: [1000, 50, 50] switch_prev_state: [1, 1, 1] switch_next_pid: [5, 6]
  switch_next_prio: [120, 120, 120] switch_next_comm_index: [0, 0, 0] } } }
TEXT
tracebridge verify sched.textproto
echo "status $?"
cd "$HELPERS/../data" && tracebridge verify lost_state.perfetto-trace recorder_loss.perfetto-trace
