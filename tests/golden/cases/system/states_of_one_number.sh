# States of two processes' threads that have one number: Perfetto says the number alone, which is counted as lost.
# exit 4
printf '%s' '[{"name":"Running","ph":"T","ts":3,"pid":1,"tid":9,"args":{"cpu":1}},' \
  '{"name":"S","ph":"T","ts":5,"pid":1,"tid":9},' \
  '{"name":"Running","ph":"T","ts":6,"pid":2,"tid":9,"args":{"cpu":2}},' \
  '{"name":"Running","ph":"T","ts":6,"pid":2,"tid":8,"args":{"cpu":3}}]' >a.json
tracebridge convert a.json -o a.pftrace
