# Flow events wait for their slices with all that they say, whatever is read between: their end frames, too.
cat >in.json <<'END'
{"traceEvents":[
{"name":"a","ph":"X","ts":1,"dur":5,"pid":1,"tid":1},
{"name":"b","ph":"X","ts":10,"dur":5,"pid":1,"tid":2},
{"name":"f","cat":"c","ph":"s","id":7,"ts":2,"pid":1,"tid":1,"esf":"the first frame","args":{"k":1}},
{"name":"f","cat":"c","ph":"f","bp":"e","id":7,"ts":11,"pid":1,"tid":2,"esf":"the other frame","args":{"k":2}},
END
for ((i = 20; i < 3000; i++)); do echo "{\"name\":\"n$i\",\"ph\":\"X\",\"ts\":$i,\"dur\":1,\"pid\":1,\"tid\":1},"
done >>in.json
echo '{"name":"last","ph":"X","ts":3000,"dur":1,"pid":1,"tid":1}]}' >>in.json
for j in 1 2; do
  tracebridge convert in.json -o out.perfetto-trace -q -j "$j"
  tracebridge convert out.perfetto-trace -o - --to json -q | grep esf
done
# Frames that only carried members name, and those that nothing names, come back with the ones above them; the ids that
# are made of the others are none of theirs.
echo '{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":5,"pid":1,"tid":1,"sf":2,"esf":5},
{"ph":"i","s":"t","name":"i","ts":3,"pid":1,"tid":1,"esf":5},{"ph":"X","name":"no dur","ts":30,"pid":1,"tid":1,"esf":"f1"}],
"stackFrames":{"1":{"name":"main","file":"m.c","line":7},"2":{"name":"f","parent":1},"5":{"name":"g","category":"c"},
"f1":{"name":"h","parent":1},"9":{"name":"unused"}}}' >frames.json
tracebridge convert -q frames.json -o frames.pftrace && tracebridge convert -q frames.pftrace -o - --to json
# So do those of flow events that say nothing else, and of an end that ends nothing; counters lose their stacks.
echo '{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":5,"pid":1,"tid":1},{"ph":"s","name":"f","id":1,"ts":2,"pid":1,"tid":1,"esf":1},
{"ph":"X","name":"b","ts":10,"dur":5,"pid":1,"tid":1},{"ph":"t","name":"f","id":1,"ts":11,"pid":1,"tid":1,"esf":1},
{"ph":"E","name":"z","ts":57,"pid":1,"tid":1,"esf":1},{"ph":"C","name":"c","ts":61,"pid":1,"args":{"v":1},"sf":1}],
"stackFrames":{"1":{"name":"f"}}}' >carried.json
for format in perfetto-trace fxt; do
  tracebridge convert carried.json -o "carried.$format" 2>&1 | grep stack
  tracebridge convert -q "carried.$format" -o - --to json
done
