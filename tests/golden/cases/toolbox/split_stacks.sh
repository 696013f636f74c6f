# Parts of one split that are JSON have ids of stack frames of their own: a merge gives each slice and sample the stack
# that it had.
echo '{"traceEvents":[{"ph":"X","name":"a","ts":0,"dur":5,"pid":1,"tid":1,"sf":10},
{"ph":"X","name":"b","ts":6,"dur":5,"pid":1,"tid":2,"sf":20}],
"stackFrames":{"10":{"name":"alpha","category":"x"},"20":{"name":"beta","category":"x"}},
"samples":[{"cpu":0,"tid":1,"ts":1,"name":"cyc","sf":10,"weight":1},
{"cpu":0,"tid":2,"ts":2,"name":"cyc","sf":20,"weight":1}]}' >in.json
tracebridge split -q in.json --by thread -o parts
grep -h '"f' parts/*
tracebridge merge -q parts/* -o merged.json
grep '"f' merged.json
tracebridge diff in.json merged.json | sed -n 3p
