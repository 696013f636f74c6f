# What a merge assumes, throws out or leaves out is a warning on standard error, also with -q and without --report; what
# is known is not.
# exit 4
trace() { # trace FILE JSON-BESIDE-THE-EVENTS EVENT...
  local file=$1
  printf '{%s"traceEvents": [{"ph": "i", "name": "first", "pid": 1, "tid": 1, "ts": 1000}' "$2" >"$file"
  shift 2
  for event; do printf ',\n%s' "$event" >>"$file"; done
  echo ']}' >>"$file"
}
at() { printf '{"ph": "%s", "name": "%s", "pid": 1, "tid": 1, "ts": %s%s}' "$1" "$2" "$3" "${4:-}"; }
mono='"metadata": {"clock-domain": "LINUX_CLOCK_MONOTONIC"}, '

echo "assumed"
trace a.json "$mono"
trace b.json "$mono"
tracebridge merge a.json b.json -o out.perfetto-trace
echo "known"
tracebridge merge -q a.json b.json -o out.perfetto-trace --offset b.json=1ms
trace a.json '"baseTimeNanoseconds": 1700000000000000000, '
trace b.json '"baseTimeNanoseconds": 1700000003000000000, '
tracebridge merge -q a.json b.json -o out.perfetto-trace
echo "thrown out"
trace a.json "" "$(at i tick 10000000)" "$(at i tick 20000000)" "$(at i tick 30000000)" "$(at i tick 40000000)" \
  "$(at i tick 50000000)"
trace b.json "" "$(at i tick 10000010)" "$(at i tick 20000012)" "$(at i tick 30700011)" "$(at i tick 40000010)" \
  "$(at i tick 50000011)"
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-on tick
echo "messages"
flow() { # flow s|f ID MICROSECONDS: one end of a message, in a slice of its own
  printf '{"ph": "X", "name": "slice", "pid": 1, "tid": 1, "ts": %s, "dur": 1},\n' "$3"
  at "$1" message "$3" ", \"bp\": \"e\", \"id\": $2"
}
trace a.json "" "$(flow s 1 2000)" "$(flow f 2 2003000)" "$(flow s 3 2004000)" "$(flow f 5 2008000)" \
  "$(flow s 4 2009000)"
trace b.json "" "$(flow f 1 2010)" "$(flow s 2 2002990)" "$(flow f 3 2004010)" "$(flow f 4 2006000)" \
  "$(flow s 5 2007990)"
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-messages --report - | grep -E '^warning|^note'
trace a.json "" "$(flow s 1 2000)" "$(flow f 2 3000)"
trace b.json "" "$(flow f 1 2050)" "$(flow s 2 2900)"
tracebridge merge -q a.json b.json -o out.perfetto-trace --align-messages
echo "no message"
trace c.json '"baseTimeNanoseconds": 1700000000000000000, '
trace d.json '"baseTimeNanoseconds": 1700000003000000000, '
tracebridge merge -q c.json d.json -o out.perfetto-trace --align-messages
echo "clock_sync"
trace a.json "" "$(at c clock_sync 1010 ', "args": {"sync_id": "one", "issue_ts": 990}')" \
  "$(at c clock_sync 2001010 ', "args": {"sync_id": "two", "issue_ts": 2000990}')"
trace b.json "" "$(at c clock_sync 5000 ', "args": {"sync_id": "one"}')" \
  "$(at c clock_sync 2006000 ', "args": {"sync_id": "two"}')"
tracebridge merge -q a.json b.json -o out.perfetto-trace
echo "at the start, and left out"
trace a.json ""
trace b.json ""
tracebridge merge -q a.json b.json -o out.perfetto-trace --unplaced=start --report - | grep -E '^warning|^note'
tracebridge merge -q a.json b.json -o out.perfetto-trace --unplaced=drop --report - | grep -A1 '^b.json'
tracebridge merge -q a.json b.json -o out.perfetto-trace --unplaced=drop
