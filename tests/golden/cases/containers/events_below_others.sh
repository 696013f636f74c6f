# JSON whose events are where nobody looks for them is refused, and the message says where they are.
# exit 1
event='{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}'
try() {
  printf '%s' "$1" >in.json
  tracebridge convert in.json -o out.pftrace
}
try "{\"trace\":{\"version\":3,\"traceEvents\":[$event]}}"
try "{\"ok\":true,\"data\":[{},$event]}"
try "{\"a\":{\"b\":{\"c\":[{\"ph\":1}],\"d.e\\u0007\":[$event]}},\"data\":[$event]}"
try "{\"traceEvents\":{\"0\":[$event]}}"
try "[[$event]]"
try '{"a":{"b":[{"name":"a"}]},"c":[1],"d":{"e'
deep=$(printf '{"k":%.0s' {1..10})
try "${deep}[$event]}}}}}}}}}}"
try "{\"$(head -c 200 /dev/zero | tr '\0' k)\":[$event]}"
echo "--- one that is a trace all the same" >&2
try "{\"data\":[$event],\"traceEvents\":[$event]}"
tracebridge info in.json >&2 | sed -n 1p
printf '%s' "{\"trace\":{\"traceEvents\":[$event]}}" | tracebridge info
