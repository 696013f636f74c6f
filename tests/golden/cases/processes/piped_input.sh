# Standard input is read without being named where it is a pipe or a file; /dev/null is none.
# exit 2
echo '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >trace.json
tail -c +1 trace.json | tracebridge convert --to json | tail -1
tracebridge convert -o out.pftrace -q <trace.json && ls
gzip -c trace.json | tracebridge info | head -1
tail -c +1 trace.json | tracebridge dump
tracebridge dump </dev/null
