# Async slices of one id whose categories or processes differ have records of two ids, also out of Perfetto, and their
# ids again behind FXT: they were in each other, each with the other's end.
cat >in.json <<'EVENTS'
[{"ph":"b","pid":1,"tid":0,"ts":10,"name":"a","cat":"A","id":1},
 {"ph":"b","pid":1,"tid":0,"ts":11,"name":"b","cat":"B","id":1},
 {"ph":"e","pid":1,"tid":0,"ts":12,"name":"a","cat":"A","id":1},
 {"ph":"e","pid":1,"tid":0,"ts":15,"name":"b","cat":"B","id":1},
 {"ph":"b","pid":2,"tid":0,"ts":20,"name":"c","cat":"A","id2":{"local":"0x1"}},
 {"ph":"b","pid":3,"tid":0,"ts":21,"name":"c","cat":"A","id2":{"local":"0x1"}},
 {"ph":"e","pid":2,"tid":0,"ts":22,"name":"c","cat":"A","id2":{"local":"0x1"}},
 {"ph":"e","pid":3,"tid":0,"ts":23,"name":"c","cat":"A","id2":{"local":"0x1"}},
 {"ph":"b","pid":4,"tid":0,"ts":30,"name":"zero","cat":"A","id":0},
 {"ph":"b","pid":4,"tid":0,"ts":31,"name":"in it","cat":"A","id":0},
 {"ph":"e","pid":4,"tid":0,"ts":32,"name":"in it","cat":"A","id":0},
 {"ph":"e","pid":4,"tid":0,"ts":33,"name":"zero","cat":"A","id":0}]
EVENTS
tracebridge convert -q in.json -o in.perfetto-trace && tracebridge convert -q in.perfetto-trace -o out.fxt
tracebridge dump out.fxt | grep -o 'async_.*'
tracebridge convert -q out.fxt -o - --to json
tracebridge diff in.json out.fxt | sed -n 3p
