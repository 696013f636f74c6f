# An argument whose name spells a path keeps its name, its value and its place by way of Perfetto, where it is a path,
# and is there once.
echo '[{"ph":"i","s":"t","name":"n","pid":1,"tid":2,"ts":5,"args":{"a.b":null,"list[0]":1,"list[1].x":-5,"c..d":"e"}},
{"ph":"i","s":"t","name":"m","pid":1,"tid":2,"ts":6,"args":{"list[0]":null,"[":[1,{"x.y":2}]}}]' >in.json
tracebridge convert -q in.json -o in.fxt
tracebridge convert -q in.fxt -o there.pftrace
tracebridge convert -q there.pftrace -o back.fxt
tracebridge dump --events back.fxt | grep instant
tracebridge convert -q in.json -o json.pftrace
tracebridge convert -q json.pftrace -o by_json.fxt
tracebridge convert -q by_json.fxt -o back.json
cat back.json
