# A list or dict whose name has a dot in it is one in FXT, too: its values are in view by their paths, and it comes back
# as it was, of a begin and of its end.
cat > in.json <<'END'
[{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":5,"args":{"p.q":{"k":1},"z":2}},
{"ph":"B","name":"b","pid":1,"tid":2,"ts":10,"args":{"p.q":{"k":1}}},
{"ph":"E","pid":1,"tid":2,"ts":12,"args":{"r":{"s.t":[1,2]}}}]
END
tracebridge convert in.json -o out.fxt
tracebridge dump --events out.fxt | grep -a 'p\.q'
tracebridge convert -q out.fxt -o back.json
cat back.json
