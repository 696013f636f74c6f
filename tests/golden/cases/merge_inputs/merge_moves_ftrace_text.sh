# Ftrace text that a merge moves is made again of its events; where it stays it comes back as it was.
text=$DATA/ftrace/small.ftrace
tracebridge merge -q "$text" "$DATA/phases/counters.json" --unplaced=start -o still.perfetto-trace
tracebridge convert -q still.perfetto-trace -o still.json
grep -o 'sched_switch: prev_comm=app [^=]*=[^=]*=[^=]*=' still.json
tracebridge merge -q "$text" --offset "$text=+10s" -o moved.perfetto-trace
tracebridge convert -q moved.perfetto-trace -o moved.json
lines_of() { sed 's/\\n/\n/g' "$1" | grep -c " $seconds.*: sched_switch"; }
for seconds in 100.5 110.5; do
  echo "at $seconds: $(lines_of still.json) and $(lines_of moved.json) lines"
done
