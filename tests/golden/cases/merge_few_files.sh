# More inputs than files may be open, compressed ones among them.
tracebridge convert -q "$DATA/phases/counters.json" -o a.perfetto-trace
gzip -k a.perfetto-trace
for i in {1..60}; do cp a.perfetto-trace "$i.perfetto-trace"; cp a.perfetto-trace.gz "$i.perfetto-trace.gz"; done
ulimit -n 32
tracebridge merge -q --unplaced=start {1..60}.perfetto-trace {1..60}.perfetto-trace.gz -o merged.out --report report.json && grep -o '"placement": "[^"]*"' report.json | sort | uniq -c
ulimit -n 24
tracebridge merge -q --unplaced=start {1..60}.perfetto-trace {1..60}.perfetto-trace.gz -o again.out && cmp merged.out again.out && echo same bytes
