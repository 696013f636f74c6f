# The most frequent names and categories, and the counters and processes' spans, of JSON.
python3 - <<'END'
import json
events = [{"name": "slice %d" % (i % 7), "cat": "a,b" if i % 2 else "a", "ph": "X", "ts": i * 1000, "dur": 500,
           "pid": 1 + i % 2, "tid": 1} for i in range(100)]
events += [{"name": "memory", "ph": "C", "ts": 5, "pid": 1, "args": {"used": 1, "free": 2}}] * 2
events += [{"name": "load", "ph": "C", "ts": 5, "pid": pid, "args": {"value": 1}} for pid in (1, 2)]
json.dump(events, open("trace.json", "w"))
END
tracebridge info trace.json
python3 - <<'END'
import json
json.dump([{"name": "c%d" % i, "ph": "C", "ts": 5, "pid": 1, "args": {"value": 1}} for i in range(70000)],
          open("many.json", "w"))
END
tracebridge info many.json | grep -A1 'counters\|^noted' # at most 65536 names are kept
