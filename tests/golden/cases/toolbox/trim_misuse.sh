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
tracebridge trim a.json -o part.pftrace --start 1s --end 1s
tracebridge trim a.json a.json -o part.pftrace
echo "--- times without a unit are ns, which is said" >&2
tracebridge trim a.json -o part.pftrace --start 2 --end 1
tracebridge trim a.json -o part.pftrace --start TRACE:2 --end TRACE:1ns
tracebridge trim a.json -o part.pftrace --start 2s --end 1s --shift=-5 -q
tracebridge trim a.json -o part.pftrace --start 2s --end 1s --shift 0
tracebridge merge a.json missing.json -o part.pftrace --offset a.json=-1500
tracebridge split missing.json -o parts --by time=10
tracebridge filter missing.json -o part.pftrace --min-dur 10
tracebridge dump missing.json --after 10.0
ls
tracebridge trim "$DATA/producers/devtools_profiles.json" -o part.pftrace --start MONOTONIC:1ms
tracebridge trim a.json -o part.pftrace --start 2023-02-28T10:00:00+01:00
