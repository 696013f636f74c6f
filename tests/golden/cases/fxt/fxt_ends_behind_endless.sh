# Behind a slice that never ends, through FXT: a nameless end that ends nothing does not end that slice, and an end of
# fifteen arguments says what it ends all the same.
cat >trace.json <<'JSON'
[
{"name":"top","ph":"B","ts":5,"pid":1,"tid":1},
{"name":"outer","ph":"B","ts":10,"pid":1,"tid":1},
{"name":"inner","ph":"B","ts":20,"pid":1,"tid":1},
{"name":"outer","ph":"E","ts":30,"pid":1,"tid":1},
{"ph":"E","ts":40,"pid":1,"tid":1},
{"ph":"E","ts":50,"pid":1,"tid":1},
{"name":"full","ph":"B","ts":80,"pid":1,"tid":1,"args":{"z":1}},
{"ph":"E","ts":90,"pid":1,"tid":1,
"args":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1}}
]
JSON
tracebridge convert trace.json -o trace.fxt
echo "status $?"
tracebridge convert -q trace.fxt -o again.json && cat again.json
# an end that has categories ends the innermost slice of these
cat >trace.json <<'JSON'
[
{"name":"top","cat":"t","ph":"B","ts":5,"pid":1,"tid":1},
{"name":"a","cat":"one","ph":"B","ts":10,"pid":1,"tid":1},
{"name":"a","cat":"two","ph":"B","ts":20,"pid":1,"tid":1},
{"name":"a","cat":"one","ph":"E","ts":30,"pid":1,"tid":1},
{"name":"b","cat":"one","ph":"B","ts":32,"pid":1,"tid":1},
{"name":"b","cat":"two","ph":"E","ts":33,"pid":1,"tid":1},
{"ph":"E","ts":36,"pid":1,"tid":1},
{"ph":"E","ts":40,"pid":1,"tid":1},
{"name":"n","cat":"one","ph":"B","ts":50,"pid":1,"tid":2},
{"name":"n","cat":"two","ph":"B","ts":60,"pid":1,"tid":2},
{"cat":"one","ph":"E","ts":70,"pid":1,"tid":2}
]
JSON
tracebridge convert -q trace.json -o trace.fxt && tracebridge convert -q trace.fxt -o again.json && cat again.json
