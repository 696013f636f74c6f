# Readers of Perfetto's traces call thread 0 of process 0 `swapper`, the idle thread, whatever its name. Where it has
# another name (Go's processors, streams of a GPU) a state of ours ends the idle thread in front of all, and the number
# is free. A merge keeps one such state of a machine, and none where there is ftrace of it. One without a name stays,
# and so does one next to ftrace text, which goes by a number that no thread has.
cat >in.json <<'EOF'
[{"ph":"M","name":"thread_name","pid":0,"tid":0,"args":{"name":"Proc 0"}},
{"ph":"M","name":"process_name","pid":0,"args":{"name":"PROCS"}},
{"ph":"X","name":"a","pid":0,"tid":0,"ts":1,"dur":5},
{"ph":"i","s":"p","name":"i","pid":0,"tid":0,"ts":2},
{"ph":"X","name":"b","pid":0,"tid":3,"ts":1,"dur":5}]
EOF
printf '[{"ph":"X","name":"z","pid":0,"tid":0,"ts":1,"dur":5}]' >nameless.json
tracebridge convert -q in.json -o out.pftrace
tracebridge dump out.pftrace | grep -A2 'thread {'
tracebridge dump out.pftrace | grep -E 'thread_name|description'
tracebridge convert -q out.pftrace -o back.json
cat back.json
tracebridge merge -q out.pftrace nameless.json --offset nameless.json=5us -o merged.pftrace
tracebridge convert -q merged.pftrace -o merged.json
grep '"[az]"' merged.json
tracebridge convert -q out.pftrace -o out.fxt && tracebridge convert -q out.fxt -o by_fxt.json
cmp by_fxt.json back.json && echo "the same by way of FXT"
tracebridge convert -q nameless.json -o nameless.pftrace
tracebridge dump nameless.pftrace | grep -A3 'thread {'
tracebridge dump out.pftrace | grep -B1 -A4 task_state_event
count_ends() { tracebridge dump "$1" | grep -c TASK_STATE_DESTROYED; }
tracebridge merge -q --unplaced=start out.pftrace nameless.json -o merged.pftrace && count_ends merged.pftrace
sed 's/"a"/"other"/' in.json >other.json
tracebridge merge -q --unplaced=start out.pftrace other.json -o merged.pftrace && count_ends merged.pftrace
printf '# tracer: nop\n#\n a-1 [000] .... 1.000000: tracing_mark_write: B|1|x\n' >ftrace.txt
tracebridge merge -q --unplaced=start out.pftrace ftrace.txt -o merged.pftrace && count_ends merged.pftrace
tracebridge info --json out.pftrace | grep -o '"first_ns":1000,"last_ns":6000,"is_cut"'
mark='# tracer: nop\n a-1 [000] .... 1.0: tracing_mark_write: B|1|x\n'
{ printf '{"traceEvents":' && cat in.json && printf ',"systemTraceEvents":"%s"}' "$mark"; } >text.json
tracebridge convert -q text.json -o text.pftrace && count_ends text.pftrace
tracebridge dump text.pftrace | grep -m1 -A2 'thread {'
