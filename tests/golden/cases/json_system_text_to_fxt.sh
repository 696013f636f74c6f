# FXT has no place for the ftrace text of a JSON trace: it gets the events that the lines say, behind the others, and
# nothing is lost. Tracks of the two do not meet.
cat > in.json <<'END'
{"traceEvents":[
{"ph":"M","name":"process_name","pid":10,"args":{"name":"app"}},
{"ph":"X","name":"drawn","pid":10,"tid":10,"ts":1,"dur":5}],
"systemTraceEvents":"# tracer: nop\n     app-10    [000] .... 100.000001: tracing_mark_write: B|10|marked\n     app-10    [000] .... 100.000003: tracing_mark_write: E|10\n  <idle>-0     [000] .... 100.000004: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=other next_pid=11 next_prio=120\n"}
END
tracebridge convert in.json -o out.fxt
echo "status $?"
tracebridge dump --events out.fxt | grep -aE 'drawn|marked|state'
tracebridge convert -q out.fxt -o back.json
cat back.json
