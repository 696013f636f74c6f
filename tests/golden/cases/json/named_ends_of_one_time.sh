# Ends of one time, of which the first has no name and the next one names the outer slice (as catapult's
# traceviewify.json has them for each sample): the first is written first, since the outer one's ends what is in it.
cat > named.json <<'JSON'
[{"name":"outer","ph":"B","pid":1,"tid":1,"ts":1},
{"name":"middle","ph":"B","pid":1,"tid":1,"ts":1},
{"name":"inner","ph":"B","pid":1,"tid":1,"ts":1},
{"name":"inner","ph":"E","pid":1,"tid":1,"ts":5},
{"name":"outer","ph":"E","pid":1,"tid":1,"ts":5},
{"name":"middle","ph":"E","pid":1,"tid":1,"ts":5}]
JSON
tracebridge convert -q named.json -o there.perfetto-trace
tracebridge convert -q there.perfetto-trace -o back.json
cat back.json
