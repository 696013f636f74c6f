# What random traces showed of JSON: of args that are there twice the last counts, an event that its id alone would tell
# apart has none, a thread whose ids are texts emits nothing but an instant of its process, an end is within an X.
cat >trace.json <<'JSON'
[
{"ph":"C","args":{"b":0.5},"ts":1,"pid":1,"name":"memory","args":{"used":1,"rest":0}},
{"ph":"O","id":"0x1","args":{"snapshot":{"b":0.5}},"ts":1,"pid":1,"tid":1,"name":"object","args":{"snapshot":{"c":1}}},
{"ph":"M","name":"process_name","args":{"name":"x"},"pid":1,"args":{"name":"y"}},
{"name":"slice","ph":"B","ts":2,"pid":1,"tid":1,"args":{"a":1},"args":{"b":2}},
{"ph":"E","ts":3,"pid":1,"tid":1},
{"name":"no id","cat":"c","ph":"b","ts":4,"pid":1,"tid":1},
{"name":"no id","ph":"N","ts":5,"pid":1,"tid":1},
{"name":"no id","cat":"c","ph":"s","ts":6,"pid":1,"tid":1},
{"name":"text ids","ph":"i","s":"p","ts":7,"pid":"p","tid":"t"}
]
JSON
tracebridge dump --events trace.json
tracebridge convert trace.json -o trace.fxt 2>&1 | sed -n "/args/,\$p"
for format in perfetto-trace fxt; do
  echo "# through $format"
  tracebridge convert -q trace.json -o "trace.$format" && tracebridge convert -q "trace.$format" -o again.json || exit
  cat again.json
done
cat >trace.json <<'JSON'
[
{"name":"slice","ph":"X","ts":13,"dur":10,"pid":1,"tid":1},
{"ph":"E","ts":16,"pid":1,"tid":1}
]
JSON
tracebridge convert -q trace.json -o trace.perfetto-trace && tracebridge convert -q trace.perfetto-trace -o again.json
cat again.json
# What says something of an id is a member like others where there is none, also of counters, and so is a scope of
# instants that no format knows. A list under an empty name is one. FXT loses a bind_id without a direction. Async
# events and objects without a process have their thread.
cat >trace.json <<'JSON'
[{"ph":"X","name":"x","ts":1,"dur":2,"pid":1,"tid":1,"scope":"s","use_async_tts":1,"args":{"":[]}},
{"ph":"C","name":"c","ts":4,"pid":1,"scope":"s","use_async_tts":1,"args":{"v":1}},
{"ph":"i","s":"thread","name":"i","ts":7,"pid":1,"tid":1,"scope":"s"},
{"ph":"s","name":"f","id":5,"ts":10,"pid":1,"tid":1,"use_async_tts":1},
{"ph":"X","name":"y","ts":10,"dur":2,"pid":1,"tid":1,"bind_id":"0x7"},
{"ph":"b","name":"of no process","id":1,"ts":20,"tid":2},{"ph":"e","name":"of no process","id":1,"ts":21,"tid":2},
{"ph":"O","name":"object","id":2,"ts":22,"tid":3,"args":{"snapshot":1}}]
JSON
for format in perfetto-trace fxt; do
  tracebridge convert -q trace.json -o "trace.$format"
  echo "exit $?" && tracebridge convert -q "trace.$format" -o - --to json
done
