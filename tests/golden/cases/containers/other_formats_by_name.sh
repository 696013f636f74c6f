# What other tools write is named as what it is, with what to do; each command says the same.
# exit 1
echo '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"hitCount":0}],"startTime":1,"endTime":2}' >a.cpuprofile
echo '{"log": {"version": "1.2", "creator": {"name": "Firefox"}, "entries": []}}' >b.har
schema=https://www.speedscope.app/file-format-schema.json
printf '{"\044schema":"%s","shared":{},"profiles":[]}\n' "$schema" >c.speedscope.json
printf '{\n  "meta": {\n    "interval": 1,\n    "product": "Firefox"\n  },\n  "libs": []\n}\n' >d.json
gzip -n d.json
echo '{"resourceSpans":[{"resource":{},"scopeSpans":[]}]}' >e.json
echo '{"data":[{"traceID":"1f","spans":[]}]}' >f.json
printf 'PERFILE2hhhhh' >perf.data
printf 'swapper     0 [001]  1234.567890:     250000 cpu-clock:pppH: \n\tffffffff81 native_halt ([kernel])\n' >perf.txt
echo '{"constants":{"logEventTypes":{}},"events":[]}' >netlog.json
for file in *; do
  tracebridge convert "$file" -o out.pftrace || status=$?
done
tracebridge info a.cpuprofile
tracebridge dump d.json.gz
tracebridge merge perf.data -o out.pftrace
# A trace may have such keys.
echo '{"nodes":[{"callFrame":1}],"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1}]}' >trace.json
tracebridge dump trace.json
exit "$status"
