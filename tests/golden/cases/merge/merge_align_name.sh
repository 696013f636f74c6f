# A name that finds nothing is refused; an input that lacks it is a warning, which says what placed it instead.
# exit 1
event() { # event NAME MICROSECONDS
  printf '{"ph": "i", "name": "%s", "pid": 1, "tid": 1, "ts": %s}' "$1" "$2"
}
trace() { # trace FILE SECONDS-OF-THE-WALL-CLOCK EVENT...: on a clock that counts from that second
  local file=$1 base=$2
  shift 2
  printf '{"baseTimeNanoseconds": %s000000000, "traceEvents": [%s' "$base" "$1" >"$file"
  shift
  printf ', %s' "$@" >>"$file"
  echo ']}' >>"$file"
}
trace a.json 1700000000 "$(event barrier 1000)" "$(event other 2000)"
trace b.json 1700000005 "$(event barrier 1500)" "$(event other 2000)"
trace c.json 1700000009 "$(event another 1000)" "$(event other 2000)"
echo untouched >kept.perfetto-trace
tracebridge merge -q a.json b.json -o kept.perfetto-trace --align-on barier
echo "status $?"
tracebridge merge -q c.json a.json -o kept.perfetto-trace --align-on barrier:begin --unplaced=start
echo "status $?"
head -c 9 kept.perfetto-trace
echo
tracebridge merge -q a.json b.json c.json -o out.perfetto-trace --align-on barrier --report - |
  grep -E '^warning|^note|^[abc].json|placed by'
tracebridge merge -q c.json a.json b.json -o out.perfetto-trace --align-on barrier --dry-run --report report.json
sed -n '/"notes"/,/\]/p' report.json
echo "alone"
tracebridge merge -q a.json -o out.perfetto-trace --align-on barrier
tracebridge merge -q a.json b.json -o kept.perfetto-trace --align-on barier
