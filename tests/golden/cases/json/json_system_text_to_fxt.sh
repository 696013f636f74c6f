# FXT has no place for the ftrace text of a JSON trace: it gets the events that the lines say, behind the others. Tracks
# of the two do not meet.
cat > text <<'END'
# tracer: nop
     app-10    [000] .... 100.000001: tracing_mark_write: B|10|marked
     app-10    [000] .... 100.000003: tracing_mark_write: E|10
  <idle>-0     [000] .... 100.000004: sched_waking: comm=app pid=10 prio=120 target_cpu=000
END
cat > in.json <<END
{"traceEvents":[
{"ph":"M","name":"process_name","pid":10,"args":{"name":"app"}},
{"ph":"X","name":"drawn","pid":10,"tid":10,"ts":1,"dur":5}],
"systemTraceEvents":"$(sed 's/$/\\n/' text | tr -d '\n')"}
END
tracebridge convert in.json -o out.fxt
echo "status $?"
tracebridge dump --events out.fxt | grep -aE 'drawn|marked|state'
tracebridge convert -q out.fxt -o back.json
cat back.json
