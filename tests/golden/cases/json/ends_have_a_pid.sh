# Slices that begin together go out as B and E, since an end says its pid as a number where the thread's is a text: each
# end has a pid, also where the begin has one of its own.
printf '%s' '[{"ph":"M","pid":"7","tid":1,"name":"thread_name","args":{"name":"t"}},' \
  '{"ph":"X","ts":10,"pid":7,"tid":1,"name":"a","dur":10},{"ph":"X","ts":10,"pid":7,"tid":1,"name":"b","dur":2},' \
  '{"ph":"B","ts":15,"pid":7,"tid":1,"name":"b"},{"ph":"E","ts":16,"pid":7,"tid":1,"name":"b"}]' >a.json
tracebridge convert -q a.json -o a.pftrace
tracebridge convert -q a.pftrace --to json
