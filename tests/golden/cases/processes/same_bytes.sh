# The number of threads and the memory do not change the output.
for how in "-j1" "-j2" "-j4" "--memory 64K"; do
  # shellcheck disable=SC2086 # two words
  tracebridge convert -q $how "$DATA/real/node-trace-events.json" -o "out.perfetto-trace"
  [[ -e first ]] || cp out.perfetto-trace first
  cmp out.perfetto-trace first && echo "$how: same bytes"
done
