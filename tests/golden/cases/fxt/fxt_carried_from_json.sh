# What JSON says and FXT has no place for comes back: times before 0, times of counters, texts that are numbers, a
# scope's thread 0.
cat >trace.json <<'JSON'
{"traceEvents":[
{"ph":"X","pid":1,"tid":2,"ts":-33000.001,"dur":33000,"name":"before","args":{"a":1}},
{"ph":"X","pid":1,"tid":2,"ts":-1,"dur":5,"name":"over 0"},
{"ph":"B","pid":1,"tid":3,"ts":-9,"name":"pair"},
{"ph":"E","pid":1,"tid":3,"ts":9},
{"ph":"b","pid":1,"tid":3,"ts":-8,"cat":"c","id":1,"name":"async"},
{"ph":"e","pid":1,"tid":3,"ts":8,"cat":"c","id":1,"name":"async"},
{"ph":"i","pid":1,"tid":3,"ts":-7,"name":"instant","s":"t"},
{"ph":"i","pid":0,"tid":0,"ts":1,"name":"of thread 0","s":"g"},
{"ph":"i","pid":0,"tid":0,"ts":2,"name":"of its process","s":"p"},
{"ph":"C","pid":1,"tid":2,"ts":-5,"name":"ctr","args":{"early":1}},
{"ph":"C","pid":1,"tid":2,"ts":5,"name":"ctr","cat":"c","cname":"good","tts":3.5,"dur":1,"tdur":0.5,"args":{"text":"5.4700","number":2}},
{"ph":"C","pid":1,"tid":2,"ts":6,"name":"ctr","cat":"c","args":{"number":2}}]}
JSON
tracebridge convert -q trace.json -o trace.fxt; echo "exit $?"
tracebridge dump trace.fxt | grep -avE "string index|thread index|provider|init"
tracebridge convert -q trace.fxt --to json -o -
echo "-- through Perfetto"
tracebridge convert -q trace.fxt -o between.perfetto-trace &&
  tracebridge convert -q between.perfetto-trace --to fxt -o back.fxt || exit
tracebridge convert -q back.fxt --to json -o -
