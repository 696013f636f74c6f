# Whoever reads the output ends before it does: an error, and not the program's silent end.
tracebridge convert -q "$DATA/real/node-trace-events.json" --to json -o - 2>convert.err | true
echo "convert: ${PIPESTATUS[0]}, $(tail -n 1 convert.err)"
tracebridge convert -q "$DATA/real/chromium-headless.json.gz" -o one.perfetto-trace
tracebridge merge -q one.perfetto-trace one.perfetto-trace one.perfetto-trace -o - 2>merge.err | true
echo "merge: ${PIPESTATUS[0]}, $(tail -n 1 merge.err)"
