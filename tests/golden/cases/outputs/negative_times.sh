# Times before 0 stay, and convert says that the viewer does not show them, and what moves them.
echo '[{"ph":"X","name":"a","ts":-500,"dur":5,"pid":1,"tid":1},{"ph":"X","name":"b","ts":5,"dur":5,"pid":1,"tid":1}]' >a.json
tracebridge convert a.json -o a.pftrace 2>&1 | tail -n 1
tracebridge convert a.json -o b.json 2>&1 | tail -n 1
tracebridge merge -q a.pftrace -o moved.pftrace
tracebridge convert -q moved.pftrace -o - --to json | grep -o '"ts":[-0-9]*'
