# Wrong use of trim is refused before anything is read, and edges that nothing places are refused.
# exit 1
echo '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":2}]' >a.json
tracebridge trim a.json -o a.json
tracebridge trim a.json -o part.txt
tracebridge trim a.json -o part.pftrace --start yesterday
tracebridge trim a.json -o part.pftrace --start=-1s
tracebridge trim a.json -o part.pftrace --start 2023-02-29T10:00:00Z
tracebridge trim a.json -o part.pftrace --start 2023-02-28T10:00:00
tracebridge trim a.json -o part.pftrace --last 1s --end 2s
tracebridge trim a.json -o part.pftrace --last 0s
tracebridge trim a.json -o part.pftrace --start 2s --end 1s
tracebridge trim a.json a.json -o part.pftrace
ls
tracebridge trim a.json -o part.pftrace --start 2023-02-28T10:00:00+01:00
