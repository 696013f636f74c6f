# A merge ends with a summary on standard error, a line for each input; with -q it says nothing.
trace() { # trace FILE WALL-CLOCK-NS DRIFT-PPM
  awk -v base="$2" -v ppm="$3" 'BEGIN {
    if (base) printf "{\"baseTimeNanoseconds\": %s, \"traceEvents\": [", base; else printf "["
    for (i = 0; i < 40; i++) printf "{\"ph\": \"i\", \"name\": \"tick\", \"pid\": 1, \"tid\": 1, \"ts\": %.3f},\n", 1000 + i * 1e6 * (1 + ppm * 1e-6)
    print "{\"ph\": \"i\", \"name\": \"last\", \"pid\": 1, \"tid\": 1, \"ts\": 50000000}]" (base ? "}" : "") }' >"$1"
}
trace a.json 1700000000000000000 0
trace b.json 1700000001500000000 0
mkdir -p a-directory-with-a-long-name/rank1
trace a-directory-with-a-long-name/rank1/trace.json 0 100
trace c.json 0 0
trace ü.json 0 0
tracebridge merge a.json b.json c.json ü.json a-directory-with-a-long-name/rank1/trace.json --align-on tick \
  --offset c.json=-2.5ms --offset ü.json=1h -o out.pftrace
tracebridge merge -q a.json b.json -o quiet.pftrace
tracebridge merge a.json b.json -o - 2>summary >out.pftrace.gz && cat summary
echo "at the start, and left out" >&2
tracebridge merge a.json c.json -o out.pftrace --unplaced=start
tracebridge merge a.json c.json -o out.pftrace --unplaced=drop
echo "many" >&2
for i in {1..19}; do cp b.json "b$i.json"; done
tracebridge merge a.json b{1..19}.json -o out.pftrace 2>&1 | wc -l
tracebridge merge a.json b{1..19}.json c.json b.json --offset c.json=1ms --align-on tick -o out.pftrace 2>&1 |
  grep -v warning
tracebridge merge a.json b{1..19}.json c.json b.json -o out.pftrace --unplaced=start
exit 0
