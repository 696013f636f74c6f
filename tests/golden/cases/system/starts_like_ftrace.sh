# A trace that would begin with words that readers look for in ftrace text gets a packet before them; other traces do
# not.
printf 'capturing trace... done\nTRACE:\n# tracer: nop\n' >atrace.txt
tracebridge convert --from ftrace -q atrace.txt -o atrace.perfetto-trace
tracebridge info atrace.perfetto-trace | head -1
tracebridge dump atrace.perfetto-trace | head -c 150 && echo " ..."
tracebridge convert -q atrace.perfetto-trace -o atrace.json && cat atrace.json
for name in 'TRACE:\n' 'TRACE:' 'TRACES'; do # a packet begins with \n
  echo '[{"ph":"M","name":"process_name","pid":1,"args":{"name":"'"$name"'"}},{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]' >named.json
  tracebridge convert -q named.json -o named.perfetto-trace
  tracebridge merge -q named.perfetto-trace "$DATA/phases/counters.json" --unplaced=start -o merged.perfetto-trace
  for trace in named merged; do
    echo "$name, $trace: $(tracebridge dump "$trace.perfetto-trace" | grep -c '^ *padding:') padding"; done
done
