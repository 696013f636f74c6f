# Ids that are digits in a text are the numbers, and come back as they were; a phase of several letters is its first.
cat >in.json <<'END'
[{"ph":"X","name":"a","pid":"2","tid":"5","ts":1,"dur":9},
{"ph":"M","name":"process_name","pid":2,"args":{"name":"proc"}},
{"ph":"X","name":"b","pid":2,"tid":5,"ts":2,"dur":1},
{"ph":"i","s":"g","name":"g","pid":2,"tid":"5","ts":2},
{"ph":"X","name":"c","pid":3,"tid":"07","ts":1,"dur":5},
{"ph":"X","name":"d","pid":"3","tid":7,"ts":1,"dur":5},
{"ph":"X","name":"neg","pid":"3","tid":"-7","ts":1,"dur":5},
{"ph":"C","name":"cn","pid":"3","tid":"-7","ts":1,"args":{"v":1}},
{"ph":"XXX","name":"e","pid":4,"tid":4,"ts":5,"dur":2},
{"ph":"B","name":"open","pid":"4","tid":4,"ts":9},
{"ph":"X","name":"big","pid":4,"tid":"1234567890123","ts":9,"dur":1}]
END
tracebridge convert in.json -o out.pftrace 2>&1 | grep -E 'tracks|lost|noted'
tracebridge convert out.pftrace -o - --to json -q
