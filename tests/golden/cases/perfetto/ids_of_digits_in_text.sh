# There and back: "12" and 12 are one process, "2" and 2 one thread, without a name; each comes back as it
# was, as does a number past its field.
echo '[{"ph":"X","pid":"12","tid":"2","ts":1,"dur":1,"name":"text"},{"ph":"X","pid":12,"tid":2,"ts":1,"dur":1,"name":"number"},
{"ph":"X","pid":12,"tid":18446744073709551615,"ts":1,"dur":1,"name":"past 63 bits"},{"ph":"X","pid":12,"tid":"-5","ts":1,"dur":1,"name":"negative text"}]' >ids.json
tracebridge convert -q ids.json -o there.perfetto-trace
tracebridge convert -q there.perfetto-trace -o back.json
cat back.json
# Ids past the numbers of FXT's koids stay numbers, and -1 is no other thread than itself.
for format in json fxt perfetto-trace; do
  echo '[{"ph":"X","pid":1,"tid":-1,"ts":1,"dur":5,"name":"minus"},{"ph":"X","pid":1,"tid":18446744073709551615,"ts":2,"dur":9,"name":"all bits"},
{"ph":"M","pid":1,"tid":18446744073709551615,"name":"thread_name","args":{"name":"Network"}},
{"ph":"X","pid":1,"tid":4294967295,"ts":3,"dur":1,"name":"32 bits"},{"ph":"X","pid":140324492929984,"tid":140324492929985,"ts":4,"dur":1,"name":"wide"},
{"ph":"X","pid":2,"tid":"4294967301","ts":5,"dur":1,"name":"wide text"}]' | tracebridge convert -q - -o wide.$format
  echo "-- $format" && tracebridge convert -q wide.$format -o - --to json
done
