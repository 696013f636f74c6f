# What FXT has no place for comes back all the same: ids that are not there or are texts, counters without samples,
# instants with an id, what an end says in addition to its begin, and arguments whose names are those of carried fields.
cat >trace.json <<'JSON'
[
{"name":"no tid","ph":"X","ts":1,"dur":2,"pid":5},
{"name":"no pid","ph":"X","ts":4,"dur":2},
{"name":"a tid","ph":"X","ts":8,"dur":2,"tid":7},
{"name":"counter","ph":"C","ts":9,"args":{"v":1}},
{"name":"counter","ph":"C","ts":10,"pid":1,"tid":1,"id":"b","args":{"v":1}},
{"name":"no samples","ph":"C","ts":11,"pid":1,"tid":1,"args":{}},
{"name":"instant","ph":"I","ts":12,"pid":1,"tid":1,"id":"0x1"},
{"name":"slice","ph":"B","ts":13,"pid":1,"tid":1,"args":{"a":1,"k":0}},
{"ph":"E","ts":14,"pid":1,"tid":1,"cname":"good","args":{"a":2}},
{"name":"empty pid","ph":"X","ts":15,"dur":1,"pid":"","tid":"x"},
{"name":"text ids","ph":"X","ts":16,"dur":1,"pid":"p","tid":"q"},
{"name":"digits","ph":"X","ts":16,"dur":1,"pid":"8","tid":"9"},
{"name":"digits","ph":"X","ts":16,"dur":1,"pid":"10"},
{"name":"digits","ph":"X","ts":16,"dur":1,"pid":"011","tid":-12},
{"name":"thread_name","ph":"M","pid":3,"args":{"name":"no tid"}},
{"name":"carried","ph":"X","ts":17,"dur":1,"pid":3,"tid":4,"args":{"trace_event":{"u":1},"x":{"y":1}}},
{"name":"carried","ph":"X","ts":19,"dur":1,"pid":3,"tid":4,"args":{"trace_event.ph":"Q","v:json":"1"}}
]
JSON
tracebridge convert -q trace.json -o trace.fxt && tracebridge convert -q trace.fxt -o again.json || exit
cat again.json
# and by way of Perfetto
tracebridge convert -q trace.fxt -o trace.perfetto-trace || exit
tracebridge convert -q trace.perfetto-trace -o trace.fxt && tracebridge convert -q trace.fxt -o again.json || exit
grep -v thread_name again.json | sort
