# --align-on stretches no trace in silence: a drift that no clock has, or that the matches do not carry, is not
# followed.
# exit 1
# trace FILE COUNT MILLISECONDS-BETWEEN MICROSECONDS-BETWEEN: events of one name, apart by the sum of both
trace() {
  awk -v n="$2" -v ms="$3" -v us="$4" 'BEGIN {
    print "{\"traceEvents\": ["
    for (i = 0; i < n; i++) printf "{\"ph\": \"X\", \"name\": \"step\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 5},\n", 1000 + i * (ms * 1000 + us)
    print "{\"ph\": \"i\", \"name\": \"last\", \"pid\": 1, \"tid\": 1, \"ts\": " 2000 + n * (ms * 1000 + us) "}]}" }' >"$1"
}
placed() { grep -A3 '^b.json' | grep -E 'offset'; }
echo "a drift that three matches seem to have, too close together"
trace a.json 3 10 0
trace b.json 3 10 900
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-on step --report - | placed
echo "one match, two that are close together, two that are not"
for n in 1 2; do
  trace a.json "$n" 1000 0
  trace b.json "$n" 1000 50
  tracebridge merge -q a.json b.json -o out.perfetto-trace --align-on step:end --report - | placed
done
trace a.json 2 60000 0
trace b.json 2 60000 600
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-on step:end --report - | placed
echo "a drift that 50 matches carry, beyond the limit, and within another"
trace a.json 50 1000 0
trace b.json 50 1000 300
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-on step --report - | placed
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-on step --max-drift 400 --report - | placed
echo "a drift that is beyond doubt"
trace a.json 150 1000 0
trace b.json 150 1000 400
echo untouched >kept.perfetto-trace
tracebridge merge -q a.json b.json -o kept.perfetto-trace --align-on step
echo "status $?"
head -c 9 kept.perfetto-trace
echo
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-on step --max-drift 0
echo "status $?"
tracebridge merge -q a.json b.json -o kept.perfetto-trace --align-on step
