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
# ids that are text are these, whatever their order, and also where they are their names
echo '[{"ph":"X","name":"a","pid":"web","tid":"one","ts":1,"dur":2},
{"ph":"X","name":"b","pid":"gpu","tid":"two","ts":2,"dur":2}]' >texts.json
echo '[{"ph":"M","name":"process_name","pid":"gpu","args":{"name":"gpu"}},
{"ph":"X","name":"b","pid":"gpu","tid":"two","ts":2,"dur":2},
{"ph":"X","name":"a","pid":"web","tid":"one","ts":1,"dur":2}]' >named.json
tracebridge diff texts.json named.json
echo "status $?"
sed 's/"web"/"net"/' texts.json >other.json
tracebridge diff texts.json other.json | head -4
