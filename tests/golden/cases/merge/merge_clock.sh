# --clock says what clock an input's times are of; times that look like dates are recognised, and it is proposed, not
#         done.
trace() { # trace FILE BEFORE-THE-EVENTS MICROSECONDS
  echo "{$2\"traceEvents\": [{\"ph\": \"i\", \"name\": \"a\", \"pid\": 1, \"tid\": 1, \"ts\": $3}]}" >"$1"
}
trace wall.json '"baseTimeNanoseconds": 1700000000000000000, ' 4000
trace epoch.json "" 1700000000006000
trace other.json "" 1700000000009500
trace mono.json '"metadata": {"clock-domain": "LINUX_CLOCK_MONOTONIC"}, ' 4000
trace none.json "" 7000
tracebridge convert -q epoch.json -o epoch.perfetto-trace
merge() { tracebridge merge -q "$@" --dry-run --report - >report; echo "status $?" >&2
grep -E '^(warning|[a-z]+\.(json|perfetto-trace):)|placed by: [^n]|offset' report; }
merge wall.json epoch.json 2>said | wc -l
grep -e '--clock' -e status said
tracebridge merge -q epoch.json other.json -o out.pftrace 2>&1 | grep -e '--clock'
tracebridge merge -q none.json epoch.json -o out.pftrace 2>&1 | grep -e '--clock'
merge wall.json epoch.json --clock epoch.json=REALTIME
merge wall.json epoch.perfetto-trace --clock epoch.perfetto-trace=realtime
merge epoch.json other.json wall.json --clock epoch.json=Realtime --clock other.json=REALTIME
echo "a clock that others have"
merge mono.json none.json --clock none.json=monotonic
merge none.json mono.json --clock none.json=boottime
echo "what is no clock, and what is known"
merge wall.json epoch.json --clock epoch.json=TSC
merge wall.json epoch.json --clock wall.json=realtime
merge wall.json epoch.json --clock nosuch.json=realtime
true
