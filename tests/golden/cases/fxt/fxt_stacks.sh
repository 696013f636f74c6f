# Call stacks, samples and what counters say in addition to their samples are kept in FXT and come back, also through
# Perfetto.
cat >trace.json <<'JSON'
{"traceEvents":[
{"ph":"C","pid":1,"tid":2,"ts":1,"name":"ctr","cat":"c","cname":"good","args":{"a":1}},
{"ph":"X","pid":1,"tid":2,"ts":2,"dur":3,"name":"x","sf":5,"esf":"7","args":{"q":1}},
{"ph":"B","pid":1,"tid":2,"ts":7,"name":"y","stack":["0x123","main","\"q\""]},
{"ph":"E","pid":1,"tid":2,"ts":8,"stack":["z"]},
{"ph":"i","s":"t","pid":1,"tid":2,"ts":9,"name":"i","stack":[]},
{"ph":"P","pid":1,"tid":2,"ts":10,"name":"p","sf":"6"},
{"ph":"C","pid":1,"tid":2,"ts":11,"name":"ctr","cat":"c","v":7,"deep":{"a":[1,2]},"args":{"a":1}}
],"stackFrames":{"5":{"name":"f5","category":"lib"},"6":{"name":"six","parent":5,"other":3},"7":{"category":"c","parent":"6"}},
"samples":[{"cpu":0,"tid":2,"ts":12.5,"name":"cycles:HG","sf":6,"weight":2}]}
JSON
tracebridge convert -q trace.json -o trace.fxt; echo "exit $?"
tracebridge dump trace.fxt | grep -vE "string index|thread index|provider|init"
tracebridge convert -q trace.fxt -o -  --to json; echo "exit $?"
echo "-- through Perfetto"
tracebridge convert -q trace.fxt -o between.perfetto-trace &&
  tracebridge convert -q between.perfetto-trace -o back.fxt || exit
tracebridge convert -q back.fxt --to json -o -
echo "-- damaged"
sed 's/"cname":"good"/"cname":"good$/;s/"pc":291/"pc":"x"/' trace.fxt >damaged.fxt
tracebridge convert -q damaged.fxt --to json -o - | grep -E "ctr|\"y\"|0x123"
