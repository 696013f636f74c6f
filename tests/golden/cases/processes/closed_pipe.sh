# Whoever reads the output ends before it does: a failure, but no news to whoever closed the pipe.
tracebridge convert -q "$DATA/real/node-trace-events.json" --to json -o - 2>convert.err | true
echo "convert: ${PIPESTATUS[0]}"
tracebridge convert -q "$DATA/real/chromium-headless.json.gz" -o one.perfetto-trace
tracebridge merge -q one.perfetto-trace one.perfetto-trace one.perfetto-trace -o - 2>merge.err | true
echo "merge: ${PIPESTATUS[0]}"
cat convert.err merge.err
