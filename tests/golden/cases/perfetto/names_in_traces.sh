# Texts of a trace cannot steer the terminal either: C1 controls (U+009B is a CSI), turned directions, separators of
# lines and bytes that are no UTF-8 are escaped by info and dump, in each format as it is written there, and whatever
# they are printed to.
text=$'E\xc2\x9b31m\xe2\x80\xaegnp.\xe2\x80\xa8\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\x7f'
cat >trace.json <<END
{"traceEvents":[
{"ph":"X","name":"$text\\u001b","cat":"$text","pid":1,"tid":1,"ts":1,"dur":2,"args":{"$text":[1,
	{"deep":"$text"}]}},
{"ph":"$text","name":"$text","pid":1,"tid":"$text","ts":2,"id":"$text"},
{"ph":"X","name":"raw$(printf '\x9b')","pid":1,"tid":1,"ts":5,"dur":2},
{"ph":"M","name":"process_name","pid":1,"args":{"name":"$text\\n"}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"$text"}}],
"otherData":{"$text":"$text"}}
END
tracebridge convert -q trace.json -o trace.fxt
tracebridge convert -q trace.json -o trace.perfetto-trace
for trace in trace.json trace.fxt trace.perfetto-trace; do
  echo "== $trace"
  tracebridge info "$trace" | grep '[\]'
  tracebridge info --json "$trace" | grep -o '"name":"[^"]*\\[^"]*"'
  echo "-- dump"
  tracebridge dump "$trace" 2>/dev/null | grep '[\]' # what is lost of the byte that is no UTF-8
done
echo "== events of Perfetto"
tracebridge dump --events trace.perfetto-trace | grep '[\]'
echo "== resolved"
tracebridge dump --resolve trace.perfetto-trace | grep '#.*[\]'
echo "== what is dumped can be encoded again"
coded() { protoc -I "$DATA/../../protos" "--$1=perfetto.protos.Trace" perfetto/trace_packet.proto \
  extensions/chrome_track_event.proto; }
tracebridge dump trace.perfetto-trace | coded encode >encoded.perfetto-trace
cmp <(coded decode <encoded.perfetto-trace) <(coded decode <trace.perfetto-trace) && echo the same
echo "== bytes that are no UTF-8, in Perfetto and FXT"
for trace in trace.fxt trace.perfetto-trace; do
  LC_ALL=C sed $'s/gnp\\./\x9b\xff\x80\xe2/g' "$trace" >raw
  tracebridge info raw | grep '[\]'
  tracebridge dump raw | grep -m 2 '[\]'
  tracebridge dump --events raw | grep -m 1 '[\]'
done
