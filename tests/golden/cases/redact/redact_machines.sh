# A trace of two machines with equal process and thread ids keeps both, with the release of each, which is no text of
# what was traced: packets have the machine's id. So does a copy. In JSON, which has one machine, that is a loss.
cat >in.textproto <<'END'
packet { machine_id: 7 system_info { utsname { sysname: "Linux" release: "5.10.43-mine" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 20 thread { pid: 10 tid: 11 thread_name: "host" } } }
packet { trusted_packet_sequence_id: 2 machine_id: 7 track_descriptor { uuid: 20 thread { pid: 10 tid: 11 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 2000 track_event { type: 1 track_uuid: 20 name: "a" flow_ids: 77 } }
packet { trusted_packet_sequence_id: 1 timestamp: 3000 track_event { type: 2 track_uuid: 20 } }
packet { trusted_packet_sequence_id: 2 machine_id: 7 timestamp: 2500 track_event { type: 1 track_uuid: 20 name: "b"
  terminating_flow_ids: 77 } }
packet { trusted_packet_sequence_id: 2 machine_id: 7 timestamp: 2600 track_event { type: 2 track_uuid: 20 } }
packet { trusted_packet_sequence_id: 3 ftrace_events { cpu: 0 event { timestamp: 2000 pid: 0 sched_switch {
  prev_comm: "swapper/0" prev_pid: 0 next_comm: "host" next_pid: 11 } } } }
packet { trusted_packet_sequence_id: 3 machine_id: 7 ftrace_events { cpu: 0 event { timestamp: 2000 pid: 0
  sched_switch { prev_comm: "swapper/0" prev_pid: 0 next_comm: "client" next_pid: 11 } } } }
packet { trusted_packet_sequence_id: 4 machine_id: 9 timestamp: 8000 track_event { type: 3 name: "of 9" } }
END
tracebridge redact in.textproto --key k -o out.pftrace
echo "status $?"
tracebridge dump out.pftrace >all.txt
grep -o 'machine_id: .*\|release: .*' all.txt | uniq -c
tracebridge info out.pftrace | grep '^tracks\|system\|BOOTTIME'
for trace in in.textproto out.pftrace; do
  tracebridge convert -q $trace -o copy.pftrace
  echo "status $?"
  tracebridge info copy.pftrace | grep '^tracks\|arrow'
done
tracebridge convert -q --compress in.textproto -o compressed.pftrace
tracebridge convert -q in.textproto -o copy.pftrace
tracebridge diff copy.pftrace compressed.pftrace | tail -n 1
tracebridge redact -q in.textproto --key k --json -o out.json
echo "status $?"
