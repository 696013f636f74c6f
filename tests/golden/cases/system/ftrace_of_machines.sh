# Lines of ftrace text name no machine: JSON has what the kernel of a second machine says as instants, those that bring
# their own names too, and a frequency of systems that are not Linux. So does FXT of all machines. Nothing is lost.
cat > in.txt <<'EOF'
packet { timestamp: 1000 ftrace_events { cpu: 0 event { timestamp: 1000 pid: 5 print { buf: "of the first\n" } } } }
packet { timestamp: 2000 machine_id: 7 trusted_packet_sequence_id: 3 sequence_flags: 1
  interned_data { kernel_symbols { iid: 9 str: "folio_wait" } }
  ftrace_events { cpu: 1
    event { timestamp: 2000 pid: 6 sched_blocked_reason { pid: 6 caller: 9 } }
    event { timestamp: 3000 pid: 6 generic { event_name: "own"
      field { name: "cpu" int_value: -1 } field { name: "s" str_value: "x" } } } } }
packet { timestamp: 4000 machine_id: 7 generic_kernel_cpu_freq_event { cpu: 2 freq_hz: 1500000 } }
EOF
tracebridge convert -q --from text in.txt -o out.json
echo "exit $?"
cat out.json
tracebridge convert -q --from text in.txt -o out.fxt
echo "exit $?"
tracebridge dump --events out.fxt | grep ftrace
