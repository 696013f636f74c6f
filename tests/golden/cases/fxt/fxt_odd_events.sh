# What random traces showed that FXT's records do not say: that an event has no name or no thread, that a slice never
# ends in one that does, that an end is of a slice of a name, that a step of a flow is of the slice around it.
cat >trace.json <<'JSON'
[
{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1},
{"name":"","ph":"X","ts":3,"dur":1,"pid":1,"tid":1},
{"name":"of a process","cat":"c","ph":"b","ts":5,"pid":1,"id":"0x1"},
{"name":"of a process","cat":"c","ph":"e","ts":6,"pid":1,"id":"0x1"},
{"name":"a sync","ph":"c","ts":7,"pid":1,"args":{"sync_id":"s"}},
{"name":"of all","ph":"i","ts":8,"pid":1,"s":"g"},
{"name":"outer","ph":"B","ts":10,"pid":1,"tid":2,"args":{"a":1}},
{"name":"never","ph":"B","ts":11,"pid":1,"tid":2},
{"name":"outer","ph":"E","ts":12,"pid":1,"tid":2,"args":{"b":2}},
{"name":"gone","ph":"E","ts":13,"pid":1,"tid":2},
{"name":"before","ph":"E","ts":14,"pid":1,"tid":3},
{"name":"around","ph":"B","ts":20,"pid":1,"tid":4},
{"name":"in it","ph":"B","ts":20,"pid":1,"tid":4},
{"name":"never","ph":"B","ts":21,"pid":1,"tid":4},
{"name":"in it","ph":"E","ts":22,"pid":1,"tid":4},
{"ph":"E","ts":23,"pid":1,"tid":4},
{"name":"slice","ph":"X","ts":30,"dur":9,"pid":1,"tid":5},
{"name":"flow","cat":"f","ph":"s","ts":31,"pid":1,"tid":5,"id":3},
{"name":"flow","cat":"f","ph":"t","bp":"e","ts":32,"pid":1,"tid":5,"id":3},
{"name":"flow","cat":"f","ph":"f","bp":"e","ts":33,"pid":1,"tid":5,"id":3}
]
JSON
tracebridge convert trace.json -o trace.fxt 2>&1 | grep lost
tracebridge convert -q trace.fxt -o again.json || exit
cat again.json
# and once more
tracebridge convert -q trace.fxt -o again.fxt && tracebridge convert -q again.fxt -o third.json || exit
sort again.json >a && sort third.json >b && cmp a b
