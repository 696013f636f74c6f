# A refusal names the odd input, says of each what there is and what was tried, and the options that would place it do.
# exit 1
mono='"metadata": {"clock-domain": "LINUX_CLOCK_MONOTONIC"}, '
trace() { # trace FILE BEFORE-THE-EVENTS MICROSECONDS
  echo "{$2\"traceEvents\": [{\"ph\": \"i\", \"name\": \"a\", \"pid\": 1, \"tid\": 1, \"ts\": $3}, {\"ph\": \"i\", \"name\": \"b\", \"pid\": 1, \"tid\": 1, \"ts\": 3500000}]}" >"$1"
}
trace none.json "" 2000
trace "no clock.json" "" 1000
trace mono.json "$mono" 2500
trace wall.json '"baseTimeNanoseconds": 1700000000000000000, ' 4000
trace later.json '"baseTimeNanoseconds": 1700000003000000000, ' 4000
say() {
  echo "$1"
  echo "$1" >&2
}
try() { # try INPUT...: and again with the first of the options that it says would place it
  tracebridge merge -q "$@" -o out.pftrace 2>said
  echo "status $?" >&2
  cat said >&2
  local options
  options=$(sed -n 's/^    \(--offset .*ns\)$/\1/p' said | tr '\n' ' ')
  eval "tracebridge merge -q $(printf '%q ' "$@") $options --report - -o out.pftrace" | grep -A1 '^[a-z].*json:\|offset'
}
try wall.json none.json
say "the first is the odd one"
try none.json wall.json later.json
say "several, one with a name for which a shell needs quotes"
try wall.json none.json "no clock.json" mono.json
say "one with a name that has quotes itself"
cp none.json "it's \"no\" clock.json"
try wall.json "it's \"no\" clock.json"
say "more than are shown"
for i in {1..30}; do cp none.json "n$i.json"; done
tracebridge merge -q wall.json n{1..30}.json -o out.pftrace
tracebridge merge -q wall.json none.json later.json --align-on b --align-messages -o out.pftrace
trace none.json "" 3500000
sed -i 's/"b"/"c"/' none.json
tracebridge merge -q wall.json none.json later.json --align-on b --align-messages -o out.pftrace
say "one trace given twice"
cp none.json again.json
tracebridge merge -q none.json again.json -o out.pftrace
