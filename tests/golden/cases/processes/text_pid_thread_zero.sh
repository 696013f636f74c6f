# Thread 0 of a process whose id is text: flows, async slices and objects of it stay its own, there and back, and no
# thread is counted twice.
cat >a.json <<'END'
[{"name":"add","ph":"X","ts":1,"dur":5,"tid":0,"pid":"CPU"},{"name":"run","ph":"X","ts":3,"dur":4,"tid":0,"pid":"CUDA"},
{"name":"add","ph":"s","ts":1,"tid":0,"pid":"CPU","id":0,"cat":"c"},{"name":"add","ph":"f","ts":3,"tid":0,"pid":"CUDA","id":0,"cat":"c"},
{"name":"a","ph":"b","ts":4,"pid":"CUDA","tid":0,"id":7,"cat":"c"},{"name":"a","ph":"e","ts":5,"pid":"CUDA","tid":0,"id":7,"cat":"c"},
{"name":"o","ph":"N","ts":7,"pid":"CUDA","tid":0,"id":9}]
END
tracebridge convert -q a.json -o a.pftrace
tracebridge convert a.pftrace -o b.json
cat b.json
