# Begins that never end among slices of their time and of their name: each slice keeps its own end, in
# Perfetto (thread 3: an end of our own comes before that of the slice around) and on the way back.
cat > in.json <<'END'
[{"ph":"B","name":"never","pid":1,"tid":1,"ts":2},
{"ph":"B","name":"named","pid":1,"tid":1,"ts":3},
{"ph":"B","name":"left","pid":1,"tid":1,"ts":4},
{"ph":"E","name":"named","pid":1,"tid":1,"ts":5},
{"ph":"X","name":"outer","pid":1,"tid":1,"ts":50,"dur":10.282},
{"ph":"B","name":"never too","pid":1,"tid":1,"ts":50},
{"ph":"B","name":"inner","pid":1,"tid":1,"ts":50},
{"ph":"E","pid":1,"tid":1,"ts":50.285},
{"ph":"X","name":"outer","pid":1,"tid":2,"ts":10,"dur":24.5},
{"ph":"B","name":"b","pid":1,"tid":2,"ts":20},
{"ph":"X","name":"short","pid":1,"tid":2,"ts":20,"dur":3.5},
{"ph":"B","name":"b","cat":"c","pid":1,"tid":2,"ts":20},
{"ph":"E","name":"b","pid":1,"tid":2,"ts":30},
{"ph":"X","name":"draw","pid":1,"tid":3,"ts":10,"dur":50.5},
{"ph":"X","name":"draw","pid":1,"tid":3,"ts":10,"dur":40.5},
{"ph":"B","name":"draw","pid":1,"tid":3,"ts":20,"own":true},
{"ph":"B","name":"b","pid":1,"tid":3,"ts":20},
{"ph":"E","pid":1,"tid":3,"ts":30}]
END
tracebridge convert in.json -o out.pftrace
tracebridge dump out.pftrace | grep -aE ' type: TYPE_|carried_phase|derived'
tracebridge convert -q out.pftrace -o back.json
cat back.json
# By way of FXT an end that has a category alone is still that of its slice.
cat > categories.json <<'END'
[{"ph":"B","cat":"c","pid":1,"tid":2,"ts":12,"tts":5},
{"ph":"B","name":"never","cat":"x","pid":1,"tid":2,"ts":14},
{"ph":"E","cat":"c","pid":1,"tid":2,"ts":20,"cname":"good"},
{"ph":"B","cat":"c","pid":1,"tid":3,"ts":12},
{"ph":"B","name":"never","cat":"x","pid":1,"tid":3,"ts":14},
{"ph":"E","cat":"c","pid":1,"tid":3,"ts":20}]
END
tracebridge convert -q categories.json -o categories.fxt
tracebridge convert -q categories.fxt -o back.json
cat back.json
