# Ftrace text that ends within a line: what cannot be an event any more is none, and is counted. One whole line is a
# trace, without a header or a line end, too.
text=$DATA/ftrace/small.ftrace
head -c 700 "$text" >in_fields
head -c 655 "$text" >in_head
tail -c 10 in_fields && echo
for cut in in_fields in_head; do
  tracebridge convert $cut -o $cut.perfetto-trace
  echo "status $?"
  tracebridge dump $cut.perfetto-trace | grep -c 'sched_switch {'
done
printf ' app-10    [000] .... 1.000000: tracing_mark_write: B|10|x' >one_line
tracebridge convert one_line -o one_line.perfetto-trace
echo "status $?"
# FXT keeps no text, so that the line is lost in reading: --strict stops at it
tracebridge convert in_fields -o in_fields.fxt
echo "status $?"
tracebridge convert --strict in_fields -o strict.fxt
echo "status $?"
