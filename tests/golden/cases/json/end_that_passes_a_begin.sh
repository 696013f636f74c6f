# Begins of one time, of which the first ends first: an end without a name between is that of neither, there and back.
printf '%s' '[{"name":"q","ph":"B","ts":17,"pid":1,"tid":2},{"name":"p","ph":"B","ts":17,"pid":1,"tid":2},' \
  '{"name":"q","ph":"E","ts":18,"pid":1,"tid":2},{"ph":"E","ts":19,"pid":1,"tid":2},' \
  '{"name":"p","ph":"E","ts":20,"pid":1,"tid":2}]' >a.json
tracebridge convert -q a.json -o a.pftrace
tracebridge convert -q a.pftrace --to json
