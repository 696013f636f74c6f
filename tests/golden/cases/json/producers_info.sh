# What info says of the same traces: time span, events by kind, processes and threads with their names, notes.
for trace in "$DATA"/producers/*.*; do
  [[ $trace == *.md ]] && continue
  echo "== ${trace##*/}"
  tracebridge info "$trace" || echo "status $?"
done
