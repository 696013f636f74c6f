# A flow event joins the slice that is open, also where one in it has ended before: as an X that one would take it.
cat >trace.json <<'JSON'
[{"ph":"X","name":"outer","pid":1,"tid":1,"ts":10,"dur":50},
{"ph":"B","name":"in","pid":1,"tid":1,"ts":20},
{"ph":"E","pid":1,"tid":1,"ts":25},
{"ph":"s","name":"f","cat":"c","id":7,"pid":1,"tid":1,"ts":30},
{"ph":"X","name":"to","pid":1,"tid":2,"ts":80,"dur":9},
{"ph":"f","bp":"e","name":"f","cat":"c","id":7,"pid":1,"tid":2,"ts":82}]
JSON
tracebridge convert -q trace.json -o trace.perfetto-trace && tracebridge convert -q trace.perfetto-trace -o again.json
cat again.json
