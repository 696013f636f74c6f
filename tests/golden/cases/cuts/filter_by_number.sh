# Processes and threads that nothing names are chosen by their numbers.
cat >a.textproto <<'TEXT'
packet { timestamp: 100 trusted_packet_sequence_id: 1 perf_sample { pid: 5 tid: 6 cpu: 0 } }
packet { timestamp: 200 trusted_packet_sequence_id: 1 perf_sample { pid: 15 tid: 16 cpu: 0 } }
packet { timestamp: 300 trusted_packet_sequence_id: 1
  frame_timeline_event { expected_display_frame_start { cookie: 1 token: 2 pid: 25 } } }
packet { timestamp: 400 trusted_packet_sequence_id: 1 frame_timeline_event { frame_end { cookie: 1 } } }
packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0
  event { timestamp: 500 pid: 35 print { buf: "I|35|mark\n" } } } }
packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0
  event { timestamp: 600 pid: 45 binder_transaction { debug_id: 1 } } } }
TEXT
for which in '--process=*' --process=5 --process=25 --process=45 --thread=16 '--thread=*5' '--thread=!6'; do
  tracebridge filter -q a.textproto -o part.pftrace "$which"
  echo "$which: $(tracebridge dump part.pftrace | grep -c '^packet')"
done
