# An end may come behind one that is later and waits for it. The later one ends nothing then, and stays on its thread.
cat >in.json <<'END'
[{"name":"a","ph":"B","ts":1,"pid":1,"tid":1},
{"ph":"E","ts":20,"pid":1,"tid":1},
{"ph":"E","ts":18,"pid":1,"tid":1},
{"name":"b","ph":"B","ts":30,"pid":1,"tid":2},
{"name":"c","ph":"B","ts":31,"pid":1,"tid":2},
{"ph":"E","ts":35,"pid":1,"tid":2},
{"ph":"E","ts":40,"pid":1,"tid":2}]
END
tracebridge convert -q in.json -o out.fxt
tracebridge dump --events out.fxt | sort -t= -k3
