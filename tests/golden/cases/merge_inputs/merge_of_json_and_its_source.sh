# The clock of a Perfetto trace goes along to JSON, so that the JSON is merged with what it was made of: by its name,
# or, where Chrome has none for it, by the wall clock.
for name in unordered same_numbers_a guest; do
  trace=$HELPERS/../data/$name.perfetto-trace
  tracebridge convert -q "$trace" -o $name.json 2>/dev/null
  tail -n 1 $name.json
  tracebridge merge "$trace" $name.json -o merged.perfetto-trace 2>&1 | grep -A 2 inputs:
done
# metadata that the JSON had goes back as it was, and what is known of the clock besides is added
base='"baseTimeNanoseconds": 1700000000000000000'
event='{"name": "a", "ph": "i", "pid": 1, "tid": 1, "ts": 5}'
echo "{$base, \"traceEvents\": [$event], \"metadata\": {\"clock-domain\": \"LINUX_CLOCK_MONOTONIC\"}, \"z\": 1}" >domain.json
echo "{$base, \"traceEvents\": [$event], \"metadata\": {\"a\": {}}, \"z\": 1}" >other.json
echo "{$base, \"traceEvents\": [$event], \"metadata\": {}, \"z\": 1}" >empty.json
for name in domain other empty; do
  tracebridge convert -q $name.json --clock monotonic -o $name.perfetto-trace
  tracebridge convert -q $name.perfetto-trace -o back.json
  tail -n 2 back.json
done
# a clock without a name there
tracebridge convert -q "$HELPERS/../data/unordered.perfetto-trace" -o clock.fxt
tracebridge convert -q clock.fxt -o clock.json
tail -n 1 clock.json
