# There and back: "12" and 12 are one process, "2" and 2 one thread, without a name; each comes back as it
# was, as does a number past its field.
echo '[{"ph":"X","pid":"12","tid":"2","ts":1,"dur":1,"name":"text"},{"ph":"X","pid":12,"tid":2,"ts":1,"dur":1,"name":"number"},
{"ph":"X","pid":12,"tid":18446744073709551615,"ts":1,"dur":1,"name":"past 63 bits"},{"ph":"X","pid":12,"tid":"-5","ts":1,"dur":1,"name":"negative text"}]' >ids.json
tracebridge convert -q ids.json -o there.perfetto-trace
tracebridge convert -q there.perfetto-trace -o back.json
cat back.json
