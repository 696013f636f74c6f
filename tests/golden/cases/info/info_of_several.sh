# Several traces: a page each, a line each, or an object each; the status is that of the first that is none.
# exit 3
cp "$DATA/phases/be_pairs.json" a.json
cp "$DATA/damage/cut_in_event.json" b.json
tracebridge info a.json b.json | grep '^file\|^format\|^damaged'
tracebridge info --brief a.json b.json
echo "status $?"
tracebridge info --json a.json b.json | python3 -c '
import json, sys
for line in sys.stdin:
    print(json.loads(line)["file"])'
tracebridge info nothing.json a.json | head -2
tracebridge info --brief nothing.json a.json
