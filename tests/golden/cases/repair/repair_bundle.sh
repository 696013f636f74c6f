# A bundle of the kernel's events whose switches are damaged, columns of which one is shorter than the others: they are
# left out and counted, its events and all other bundles stay, and verify finds nothing behind it.
bundle() { # CPU NEXT_PIDS
  echo "packet { trusted_packet_sequence_id: 3 ftrace_events { cpu: $1"
  echo "event { timestamp: 150 pid: 8 print { buf: \"C|7|level$1|3\" } }"
  echo "compact_sched { switch_timestamp: [100, 100, 100] switch_next_pid: [$2] switch_prev_state: [1, 1, 1]"
  echo 'switch_next_prio: [1, 1, 1] switch_next_comm_index: [0, 0, 0] intern_table: "comm" } } }'
}
{ bundle 0 "7, 8, 7"; bundle 1 "9, 10"; bundle 2 "11, 12, 11"; } >in.txt
tracebridge convert -q --from text in.txt -o in.pftrace
tracebridge verify in.pftrace | grep '^error'
tracebridge repair in.pftrace -o out.pftrace --json
tracebridge repair in.pftrace -o out.pftrace 2>&1
tracebridge verify out.pftrace
tracebridge dump out.pftrace | grep -o 'cpu: .*\|switch_next_pid: .*\|buf: .*'
