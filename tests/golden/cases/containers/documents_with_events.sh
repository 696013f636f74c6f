# JSON that begins as another program's document and has events further on: --from json reads it, and says so; where
# an event is seen, nobody takes it for the other document.
# exit 1
pad=$(head -c 5000 /dev/zero | tr '\0' x)
echo "{\"log\":{\"creator\":\"$pad\"},\"traceEvents\":[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}]}" >late.json
echo '{"meta":{"interval":1},"events":0,"x":[{"name":"a","ph":"X","ts":1}],"traceEvents":[]}' >seen.json
tracebridge convert late.json -o out.pftrace --from json
tracebridge convert seen.json -o out.json -q; echo "seen: $?"
tracebridge convert late.json -o out.pftrace
