# JSON as FXT: names are kernel objects too, of thread 0 the metadata alone; numbers in counters may be text.
cat >names.json <<'JSON'
[{"ph":"M","name":"process_name","pid":5,"args":{"name":"app"}},
 {"ph":"M","name":"thread_name","pid":5,"tid":6,"args":{"name":"worker"}},
 {"ph":"M","name":"thread_name","pid":5,"tid":0,"args":{"name":"critical path"}},
 {"ph":"X","name":"work","ts":1,"dur":2,"pid":5,"tid":6},
 {"ph":"M","name":"thread_name","pid":5,"tid":6,"args":{"name":"renamed"}},
 {"ph":"C","name":"load","ts":2,"pid":5,"tid":6,"cname":"good","args":{"cpu":"5.25","none":"a lot"}}]
JSON
tracebridge convert -q names.json -o names.fxt; echo "exit $?"
tracebridge dump names.fxt
tracebridge convert -q names.fxt --to json -o -
