# The thread time at the end of a slice of no duration is in the source, too; events of node have it.
echo '[{"ph":"X","name":"a","ts":5,"dur":0,"tts":9,"tdur":1,"pid":1,"tid":1}]' >in.json
for format in perfetto-trace fxt json; do
  tracebridge convert -q in.json -o "out.$format" && tracebridge diff in.json "out.$format" | sed -n 3,6p
done
