# FXT has no place for the ftrace text of a JSON trace: it gets the events that the lines say, behind the others, kinds
# without a form of their own as instants with their fields. Tracks of the two do not meet.
cat > text <<'END'
# tracer: nop
     app-10    [000] .... 100.000001: tracing_mark_write: B|10|marked
     app-10    [000] .... 100.000003: tracing_mark_write: E|10
  <idle>-0     [000] .... 100.000004: sched_waking: comm=app pid=10 prio=120 target_cpu=000
     app-10    [001] .... 100.000005: cpu_frequency: state=1800000 cpu_id=1
     app-10    [001] .... 100.000006: sched_blocked_reason: pid=10 iowait=1 caller=folio_wait+0x13d/0x350
     app-10    [001] .... 100.000007: my_driver_event: ring=render seqno=-5 note=two words
     app-10    [001] .... 100.000008: tracing_mark_write: free text of an application
     app-10    [001] .... 100.000009: task_rename: pid=10 oldcomm=app newcomm=renamed oom_score_adj=0
END
cat > in.json <<END
{"traceEvents":[
{"ph":"M","name":"process_name","pid":10,"args":{"name":"app"}},
{"ph":"X","name":"drawn","pid":10,"tid":10,"ts":1,"dur":5}],
"systemTraceEvents":"$(sed 's/$/\\n/' text | tr -d '\n')"}
END
tracebridge convert in.json -o out.fxt
echo "status $?"
tracebridge dump --events out.fxt | grep -aE 'drawn|marked|state|ftrace'
tracebridge convert -q out.fxt -o back.json
cat back.json
