# There and back: "12" and 12 are two processes, and "2" is its thread's name; a number past its field is none.
echo '[{"ph":"X","pid":"12","tid":"2","ts":1,"dur":1,"name":"text"},{"ph":"X","pid":12,"tid":2,"ts":1,"dur":1,"name":"number"},
{"ph":"X","pid":12,"tid":18446744073709551615,"ts":1,"dur":1,"name":"past 63 bits"},{"ph":"X","pid":12,"tid":"-5","ts":1,"dur":1,"name":"negative text"}]' >ids.json
tracebridge convert -q ids.json -o there.perfetto-trace
tracebridge convert -q there.perfetto-trace -o back.json
cat back.json
