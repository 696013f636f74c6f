# Ftrace text in JSON: lines that are neither events nor comments become comments, and come behind the header. JSON's
# own stays.
event=' app-10    [000] .... 1.000000: tracing_mark_write: B|10|x'
printf 'capturing trace... done\nTRACE:\n# tracer: nop\n#\n\n%s\nCPU:1 [LOST 5 EVENTS]\n%s' "$event" "$event" \
  >head.ftrace
printf 'TRACE:\n%s\n# tracer: nop\n%s\nlast\n' "$event" "$event" >late.ftrace
text() { sed -n 's/^"systemTraceEvents":"\(.*\)".*/\1/p' "$1" | sed 's/\\n/\n/g'; echo; }
for input in *.ftrace; do
  echo "== $input"
  tracebridge convert -q "$input" -o once.json; echo "exit $?"
  text once.json
  tracebridge convert -q "$input" -o through.pftrace && tracebridge convert -q through.pftrace -o through.json &&
    text through.json | cmp - <(text once.json)
done
printf '{"traceEvents":[],"systemTraceEvents":"TRACE:\\n# tracer: nop\\n"}' >own.json
tracebridge convert -q own.json -o again.json
text again.json
