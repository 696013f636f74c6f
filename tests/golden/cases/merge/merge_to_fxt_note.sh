# What FXT has no place for is kept by an option of convert, which merge has none of: it names it as convert's.
ln -s "$HELPERS/../data/recorder.perfetto-trace" a.perfetto-trace
for command in convert merge; do
  tracebridge "$command" a.perfetto-trace -o "$command.fxt" 2>&1 | grep keep-packets
done
