# What differs: nothing between a trace and its conversion; each kind of row; as JSON; from a pipe.
cp "$DATA/phases/flows.json" a.json
tracebridge convert -q a.json -o a.pftrace
tracebridge diff a.json a.pftrace
echo "status $?"
python3 - <<'END'
import json
trace = json.load(open("a.json"))
events = trace if isinstance(trace, list) else trace["traceEvents"]
events[0]["name"] = "renamed"
json.dump(events, open("b.json", "w"))
END
tracebridge diff - b.json <a.json
echo "status $?"
tracebridge diff --json "$DATA/phases/args.json" "$DATA/phases/counters.json" | python3 -c '
import json, sys
found = json.load(sys.stdin)
print(found["equal"], {name: table for name, table in found["tables"].items() if any(table["rows"])})
print(found["rows"][0])'
tracebridge diff a.json
echo "status $?"
tracebridge diff - -
echo "status $?"
tracebridge diff "$DATA/damage/cut_in_event.json" "$DATA/damage/cut_in_event.json"
echo "status $?"
tracebridge diff a.json nothing.json
echo "status $?"
# an end without its begin, of which both have one, is no part that could not be read
tracebridge diff -q "$DATA/damage/end_without_begin.json" "$DATA/damage/end_without_begin.json" | head -3
echo "status ${PIPESTATUS[0]}"
