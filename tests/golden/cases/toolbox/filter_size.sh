# An output of some size has no arguments, then no flows, then no short slices; what cannot be made to fit is said.
# exit 1
awk 'BEGIN { printf "["; for (i = 0; i < 2000; i++)
  printf "%s{\"ph\":\"X\",\"name\":\"n%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{\"v\":\"text %d\"}}",
    i ? "," : "", i % 9, i * 2000, i % 1000 + 1, i; print "]" }' >a.json
tracebridge filter a.json -o b.pftrace --max-size 40K
tracebridge filter a.json -o c.pftrace --max-size 10K
test "$(wc -c <c.pftrace)" -le 10240 && echo "it fits"
tracebridge filter a.json -o - --max-size 10K
tracebridge filter a.json -o a.json
tracebridge filter a.json -o d.pftrace --min-dur=-1us
tracebridge filter a.json -o d.pftrace --max-size 50
