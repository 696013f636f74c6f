# What is read and written follows --from and --to where content and names do not say it.
# exit 2
echo '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":2},{"ph":"X","name":"b","pid":1,"tid":1,"ts":8,"dur":2}]' >a.json
tracebridge trim -q a.json -o - --to json --end 3us
tracebridge trim -q a.json -o - --to json --shift 1ms --end 3us
tracebridge filter -q a.json -o part.dat --to json --name b
cat part.dat
tracebridge merge -q a.json -o - --to fxt | tracebridge info - | head -1
tracebridge repair -q a.json -o whole.json --to perfetto
tracebridge info whole.json | head -1
tracebridge repair -q --from fxt a.json -o whole.json
tracebridge merge -q --from perfetto a.json -o whole.pftrace
tracebridge trim a.json -o part.dat
