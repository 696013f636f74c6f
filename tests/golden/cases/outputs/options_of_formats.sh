# An option that means something to one format is refused where another is to be written, before anything is.
echo '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >a.json
echo kept >out.json
try() {
  tracebridge "$@"
  echo "status $?"
}
try convert a.json -o out.json --compress
try convert a.json -o - --to fxt --compress
try convert a.json -o out.perfetto-trace --keep-packets
try convert a.json --out-dir made --suffix .json --compress
echo 'packet { timestamp: 5 trusted_packet_sequence_id: 1 }' >a.textproto
try convert a.textproto -o out.perfetto-trace --keep-packets
cat out.json
ls
try convert -q a.json -o whole.perfetto-trace --compress
try convert -q a.json -o whole.fxt --keep-packets
