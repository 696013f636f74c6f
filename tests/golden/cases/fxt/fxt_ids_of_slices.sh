# The id of a slice on a thread, for which FXT has no place, comes back, and goes on to Perfetto.
cat >trace.json <<'JSON'
[{"ph":"X","name":"number","pid":1,"tid":1,"ts":1,"dur":2,"id":"7"},
{"ph":"X","name":"text","pid":1,"tid":1,"ts":4,"dur":2,"id":"seven","args":{"a":1}},
{"ph":"X","name":"local","pid":1,"tid":1,"ts":8,"dur":2,"id2":{"local":"0x9"},"scope":"q"},
{"ph":"B","name":"pair","pid":1,"tid":1,"ts":12,"id":5},
{"ph":"B","name":"inner","pid":1,"tid":1,"ts":13,"id2":{"global":"x"}},
{"ph":"E","pid":1,"tid":1,"ts":14,"args":{"b":2}},
{"ph":"E","pid":1,"tid":1,"ts":15,"id":5},
{"ph":"E","name":"alone","pid":1,"tid":2,"ts":15,"id":6}]
JSON
tracebridge convert -q trace.json -o trace.fxt; echo "exit $?"
tracebridge convert -q trace.fxt --to json -o -
echo "-- through Perfetto"
tracebridge convert -q trace.fxt -o between.perfetto-trace &&
  tracebridge convert -q between.perfetto-trace --to fxt -o back.fxt || exit
tracebridge convert -q back.fxt --to json -o - | grep -v thread_name
