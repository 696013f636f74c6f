# Any mix of formats, compressed or not, to plain and compressed files alike.
tracebridge convert -q "$DATA/phases/flows.json" -o a.perfetto-trace
tracebridge convert -q "$DATA/phases/flows.json" -o b.fxt
gzip -c "$DATA/phases/instants.json" >c.json.gz
tracebridge merge a.perfetto-trace b.fxt c.json.gz -o all.perfetto-trace --unplaced=start --report - |
  grep -E '^[abc]|placed by'
tracebridge merge -q a.perfetto-trace b.fxt c.json.gz -o all.perfetto-trace.gz --unplaced=start
gunzip -c all.perfetto-trace.gz | cmp - all.perfetto-trace && echo same bytes
tracebridge merge -q - b.fxt c.json.gz -o - --unplaced=start <a.perfetto-trace | cmp - all.perfetto-trace &&
  echo same bytes
