# Gzip on both sides, by content and by name.
tracebridge convert -q "$DATA/real/chromium-headless.json.gz" -o plain.perfetto-trace
gzip -dc "$DATA/real/chromium-headless.json.gz" >plain.json
tracebridge convert -q plain.json -o again.perfetto-trace
cmp plain.perfetto-trace again.perfetto-trace && echo input: same bytes
tracebridge convert -q plain.json -o packed.perfetto-trace.gz
gzip -dc packed.perfetto-trace.gz | cmp - plain.perfetto-trace && echo output: same bytes
