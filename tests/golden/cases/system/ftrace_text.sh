# The kernel's trace file: detected by its header or its lines, kept whole to JSON and back; FXT gets the events
# that it says, as by way of Perfetto.
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
tracebridge convert "$text" -o out.fxt || echo "exit $?"
tracebridge convert -q "$text" -j1 -o one_thread.fxt
tracebridge convert -q - --to fxt -o piped.fxt <"$text"
tracebridge convert -q out.perfetto-trace -o via.fxt
for other in one_thread piped via; do cmp out.fxt $other.fxt && echo "the same FXT ($other)"; done
tracebridge convert -q --keep-packets "$text" -o kept.fxt && tracebridge convert -q kept.fxt -o kept.perfetto-trace
tracebridge convert -q kept.perfetto-trace -o kept.json
grep systemTraceEvents direct.json >text && grep -qFx -f text kept.json && echo "the same text by way of FXT"
tracebridge info "$text"
