# More inputs than files may be open: compressed ones among them, and ones that are copied first.
tracebridge convert -q "$DATA/phases/counters.json" -o a.perfetto-trace
gzip -k a.perfetto-trace
for i in {1..60}; do cp a.perfetto-trace "$i.perfetto-trace"; cp a.perfetto-trace.gz "$i.perfetto-trace.gz"
cp "$DATA/phases/counters.json" "$i.json"; done
tar cf all.tar {1..30}.json {1..30}.perfetto-trace {1..30}.perfetto-trace.gz
copied=({1..60}.perfetto-trace.gz {1..60}.json all.tar)
tracebridge merge -q --unplaced=start "${copied[@]}" -o copied.pftrace
ulimit -n 32
tracebridge merge -q --unplaced=start {1..60}.perfetto-trace {1..60}.perfetto-trace.gz -o merged.pftrace \
  --report report.json && grep -o '"placement": "[^"]*"' report.json | sort | uniq -c
ulimit -n 24
tracebridge merge -q --unplaced=start {1..60}.perfetto-trace {1..60}.perfetto-trace.gz -o again.pftrace &&
  cmp merged.pftrace again.pftrace && echo same bytes
ulimit -n 16
tracebridge merge -q --unplaced=start "${copied[@]}" -o again.pftrace && cmp copied.pftrace again.pftrace &&
  echo same bytes
