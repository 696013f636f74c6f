# An argument with dots in its name, or called as a first item, is written once: readers see its levels, and the way
# back and FXT have its name. So are the others of its slice.
cat >trace.json <<'JSON'
{"traceEvents":[
{"name":"request","ph":"X","ts":1,"dur":2,"pid":5,"tid":5,"args":{"http.method":"of the method","http.route.name":["of the route",{"x":1.0}],"plain":"of the other","box[0]":"of the item"}}
]}
JSON
tracebridge convert -q trace.json -o out.perfetto-trace
for text in 'of the method' 'of the route' 'of the other' 'of the item'; do grep -ao "$text" out.perfetto-trace; done
tracebridge convert -q out.perfetto-trace -o back.json
cmp trace.json back.json && echo "the same JSON"
tracebridge convert -q trace.json -o direct.fxt
tracebridge convert -q out.perfetto-trace -o by_way.fxt
tracebridge convert -q direct.fxt -o direct.json
tracebridge convert -q by_way.fxt -o by_way.json
cmp direct.json by_way.json && echo "the same by way of FXT"
tracebridge dump out.perfetto-trace | grep -o 'name_levels: .'
