# Events of JSON without a time (missing, null, text): none makes the trace begin at 0, each is noted with its offset,
# and comes back as it was; objects without members are nothing.
tracebridge convert "$DATA/phases/untimed.json" -o untimed.pftrace 2>&1 | sed -E 's/(perfetto, )[^)]*/\1SIZE/'
tracebridge convert untimed.pftrace -o - --to json -q
tracebridge convert "$DATA/phases/untimed.json" -o untimed.fxt -q
tracebridge convert untimed.fxt -o - --to json -q
tracebridge convert "$DATA/phases/untimed.json" -o again.json --strict --report report.json -q
sed -n '/"notes"/,$p' report.json
tracebridge info untimed.pftrace | grep -E 'span|time'
# What else is of none of the usual kinds: two whose phase needs an id, and one whose phase is none.
echo '[{"ph":"b","ts":1},{"ph":"s","ts":2},{"ph":"?","ts":3}]' >other.json
tracebridge convert other.json -o other.pftrace 2>&1 | grep events
# A number that 64 bits of ns do not hold, such as ns since 1970 where microseconds belong.
echo '[{"ph":"X","name":"a","ts":1700000000000000000,"dur":5},{"ph":"i","name":"b","ts":-1e300}]' >far.json
tracebridge convert far.json -o far.pftrace 2>&1 | grep -v span
