# The kernel's trace file: detected by its header or its lines, kept whole to JSON and back, and not written as FXT.
text=$DATA/ftrace/small.ftrace
tracebridge convert "$text" -o out.perfetto-trace
tail -n +6 "$text" >no_header
tracebridge convert -q no_header -o no_header.perfetto-trace && tracebridge dump no_header.perfetto-trace |
  grep -c sched_switch
tracebridge convert -q out.perfetto-trace -o back.json
tracebridge convert -q "$text" -o direct.json
cmp back.json direct.json && echo "the same JSON"
tracebridge convert -q - --to perfetto -o piped.perfetto-trace <"$text"
cmp out.perfetto-trace piped.perfetto-trace && echo "the same from a pipe"
tracebridge convert -q "$text" -o out.fxt || echo "exit $?"
tracebridge info "$text"
