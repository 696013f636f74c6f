# An end that ends nothing comes back with its thread's time.
echo '{"traceEvents":[{"ph":"E","ts":5.5,"pid":1,"tid":2,"tts":376.723}]}' >end.json
for format in pftrace fxt; do
  tracebridge convert -q end.json -o "end.$format"
  tracebridge convert -q "end.$format" -o - --to json | grep '"E"'
done
