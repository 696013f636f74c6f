# Readers of Perfetto's traces call thread 0 of process 0 `swapper`, whatever its name. One with a name goes by another
# number there (Go's processors, streams of a GPU), and comes back as 0, also merged, and by way of FXT. One without
# stays.
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
