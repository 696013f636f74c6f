# An end that names an outer slice ends what is in it for those that name nothing: an end without a name is of a slice
# around. Of slices that begin at one time the one that ends last comes first. All comes back as it was.
cat > in.json <<'END'
[{"ph":"B","name":"outer","pid":1,"tid":2,"ts":1},
{"ph":"B","name":"named","pid":1,"tid":2,"ts":3},
{"ph":"B","name":"inner","pid":1,"tid":2,"ts":4},
{"ph":"E","name":"named","pid":1,"tid":2,"ts":5},
{"ph":"E","pid":1,"tid":2,"ts":8},
{"ph":"E","pid":1,"tid":2,"ts":9},
{"ph":"B","name":"short","pid":1,"tid":3,"ts":1},
{"ph":"B","name":"long","pid":1,"tid":3,"ts":1},
{"ph":"E","name":"short","pid":1,"tid":3,"ts":5},
{"ph":"E","name":"long","pid":1,"tid":3,"ts":9},
{"ph":"X","name":"around","pid":1,"tid":4,"ts":1,"dur":9.5},
{"ph":"X","name":"whole","pid":1,"tid":4,"ts":2,"dur":5},
{"ph":"B","name":"never","pid":1,"tid":4,"ts":3}]
END
tracebridge convert in.json -o out.pftrace
tracebridge dump out.pftrace | grep -aE ' type: TYPE_|carried_phase|phase: |duration_us'
tracebridge convert -q out.pftrace -o back.json
cat back.json
