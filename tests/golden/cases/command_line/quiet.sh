# Quiet means quiet: what is lost is in the exit status, and said without -q.
tracebridge convert -q "$DATA/phases/counters.json" -o counters.perfetto-trace
tracebridge convert --quiet "$DATA/phases/counters.json" -o again.perfetto-trace
cmp counters.perfetto-trace again.perfetto-trace && echo same bytes
tracebridge convert -q "$DATA/damage/cut_in_event.json" -o cut.perfetto-trace; echo "exit $?"
tracebridge merge -q "$DATA/damage/cut_in_event.json" -o merged.perfetto-trace; echo "exit $?"
tracebridge convert "$DATA/damage/cut_in_event.json" -o cut.perfetto-trace 2>&1 | grep -A 1 lost
tracebridge convert -q missing.json -o out.perfetto-trace 2>&1; echo "exit $?"
