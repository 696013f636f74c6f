# All JSON that is written is strict, and no object has a key twice: of all traces in JSON, by way of Perfetto, of FXT
# and without; and of what comes with keys twice, and with args at both ends of a slice.
# takes long
# exit 1
cat >doubled.json <<'END'
[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a","args":{"x.y":1,"z":2}},
{"ph":"E","pid":1,"tid":1,"ts":5,"args":{"w":3,"z":4}},
{"ph":"B","pid":1,"tid":1,"ts":6,"name":"b","args":[1]},{"ph":"E","pid":1,"tid":1,"ts":7,"args":{"w":3}},
{"ph":"X","pid":1,"tid":1,"ts":8,"ts":"x","dur":1,"dur":2,"name":"c",
"cname":"x","cname":"y","args":{"k":{"a":1,"a":2}},"args":{"b":1,"c":[{"d":1,"d":2}],"b":3}},
{"ph":"i","pid":"","tid":"t","ts":9,"name":"d","s":"t"}]
END
for trace in doubled.json "$DATA"/phases/*.json "$DATA"/flows/*.json "$DATA"/damage/*.json "$DATA"/real/*.json*; do
  name=$(basename "${trace%%.json*}")
  tracebridge convert "$trace" -o "$name.direct.json" -q 2>/dev/null
  for format in pftrace fxt; do
    tracebridge convert "$trace" -o "$name.$format" -q 2>/dev/null
    tracebridge convert "$name.$format" -o "$name.$format.json" -q 2>/dev/null
  done
done
cat doubled.direct.json doubled.pftrace.json
printf '%s\n' ./*.*.json | wc -l
"$GOLDEN/../support/strict_json.py" ./*.*.json
echo "$?"
"$GOLDEN/../support/strict_json.py" doubled.json | cut -c 1-60
exit "${PIPESTATUS[0]}"
