# Numbers stay: those that are text where they are numbers to readers, ids of counters, colors; members of events that
# are no format's own get pseudonyms, as arguments do. What has no place is lost by its kind.
printf '%s' '[{"ph":"C","name":"cpu","ts":1,"pid":1,"args":{"v":"0.5","w":"nan(word)"}},' \
  '{"ph":"C","name":"ids","ts":1,"pid":1,"tid":1,"id":0,"args":{"v":3}},' \
  '{"ph":"C","name":"ids","ts":1,"pid":1,"tid":1,"id":"0x1","args":{"v":4}},' \
  '{"ph":"X","name":"a","ts":2,"dur":5,"pid":1,"tid":1,"own":{"k":[1,"x"]},"cname":"good","cpu":"7",' \
  '"args":{"text":"0.5","big":123456789012345678901234567890}},' \
  '{"ph":"X","name":"a","ts":8,"dur":5,"pid":1,"tid":1,"cname":"mine"}]' >events.json
printf '%s' '{"traceEvents":' >trace.json
cat events.json >>trace.json
printf '%s' ',"stackFrames":{"1":{"name":"f"}},"samples":[' \
  '{"cpu":"-1","tid":"1","pid":1,"ts":"1","name":"s","sf":1,"weight":"5"}]}' >>trace.json
tracebridge redact trace.json --key k --to json
tracebridge redact -q trace.json --key k --no-args --to json
tracebridge redact -q trace.json --keep '*' -o kept.pftrace
tracebridge diff trace.json kept.pftrace
# values that are JSON text are what it says
cat >json.textproto <<'END'
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 thread { pid: 1 tid: 1 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 1 track_event { type: 3 track_uuid: 1 name: "a"
  debug_annotations { name: "j" legacy_json_value: "{\"key\":10,\"list\":[1.5,{\"of\":\"text\"}]}" } } }
END
tracebridge redact json.textproto --key k --to json
# machines, marks of lost data, threads of no process
tracebridge redact "$DATA/perfetto/machines.textproto" --json -o machines.pftrace
echo "status $?"
cat >irq.textproto <<'END'
packet { ftrace_events { cpu: 1 event { timestamp: 100 pid: 10 irq_handler_entry { irq: 100 name: "mine" } }
  event { timestamp: 200 pid: 10 irq_handler_exit { irq: 100 ret: 1 } } } machine_id: 7 }
END
tracebridge redact irq.textproto --json -o irq.pftrace
echo "status $?"
tracebridge verify irq.pftrace
echo "status $?"
cat >lost.textproto <<'END'
packet { trusted_packet_sequence_id: 1 timestamp: 1 track_event { type: 3 name: "a" } }
packet { trusted_packet_sequence_id: 1 previous_packet_dropped: true timestamp: 2 track_event { type: 3 name: "b" } }
packet { ftrace_events { cpu: 0 event { timestamp: 2 pid: 5 print { buf: "B|0|c" } } } }
END
tracebridge redact lost.textproto --json -o lost.pftrace
echo "status $?"
# ftrace text becomes what it becomes by way of Perfetto
cat >text.ftrace <<'END'
# tracer: nop
#
           foo-10    (   10) [000] ...1   100.000100: cpu_frequency: state=1000 cpu_id=2
           foo-10    (   10) [000] ...1   100.000200: workqueue_execute_start: work struct 0000000017: function my_fn
           foo-10    (   10) [000] ...1   100.000250: workqueue_execute_end: work struct 0000000017
           foo-10    (   10) [000] ...1   100.000300: irq_handler_entry: irq=27 name=arch_timer
           foo-10    (   10) [000] ...1   100.000350: irq_handler_exit: irq=27 ret=handled
END
tracebridge redact text.ftrace --key k -o text.pftrace
tracebridge convert -q text.ftrace -o way.pftrace
tracebridge redact -q way.pftrace --key k -o by_way.pftrace
tracebridge diff text.pftrace by_way.pftrace
