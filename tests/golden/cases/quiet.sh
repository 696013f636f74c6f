# Quiet means quiet.
tracebridge convert -q "$DATA/phases/counters.json" -o counters.perfetto-trace
tracebridge convert --quiet "$DATA/phases/counters.json" -o again.perfetto-trace
cmp counters.perfetto-trace again.perfetto-trace && echo same bytes
