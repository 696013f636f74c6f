# Phases of async slices and objects that come out of Perfetto are in FXT, of ends too, which have none there.
echo '[{"ph":"N","name":"o","cat":"A","ts":10,"pid":1,"tid":2,"id":"0x19"},
{"ph":"O","name":"o","cat":"A","ts":11,"pid":1,"tid":2,"id":"0x19","args":{"snapshot":{"a":1}}},
{"ph":"D","name":"o","cat":"A","ts":12,"pid":1,"tid":2,"id":"0x19"},
{"ph":"S","name":"s","cat":"A","ts":20,"pid":1,"tid":2,"id":"0x5"},
{"ph":"F","name":"s","cat":"A","ts":22,"pid":1,"tid":2,"id":"0x5"},
{"ph":"b","name":"p","cat":"A","ts":30,"pid":1,"tid":2,"id":"0x6"},
{"ph":"e","name":"p","cat":"A","ts":32,"pid":1,"tid":2,"id":"0x6"}]' >in.json
tracebridge convert -q in.json -o in.pftrace
tracebridge convert -q in.pftrace -o in.fxt
tracebridge convert -q in.fxt -o - --to json
tracebridge convert -q in.fxt -o again.pftrace
tracebridge diff in.pftrace again.pftrace | sed -n 3p
