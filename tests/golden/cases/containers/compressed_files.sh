# Gzip and zstd on both sides, by content and by name.
tracebridge convert -q "$DATA/real/chromium-headless.json.gz" -o plain.perfetto-trace
gzip -dc "$DATA/real/chromium-headless.json.gz" >plain.json
tracebridge convert -q plain.json -o again.perfetto-trace
cmp plain.perfetto-trace again.perfetto-trace && echo input: same bytes
tracebridge convert -q plain.json -o packed.perfetto-trace.gz
gzip -dc packed.perfetto-trace.gz | cmp - plain.perfetto-trace && echo output: same bytes
for name in packed.perfetto-trace.zst packed.pftrace.zst packed.json.zst packed.fxt.zst; do
  stem=${name%.zst}
  tracebridge convert -q plain.json -o "$stem"
  tracebridge convert -q plain.json -o "$name"
  zstd -qt "$name" && zstd -qdc "$name" | cmp - "$stem" && echo "$name: same bytes"
  tracebridge convert -q "$name" -o back.json
  tracebridge convert -q "$stem" -o plain-back.json
  cmp back.json plain-back.json && echo "$name: read"
done
zstd -lv packed.json.zst 2>&1 | grep -o 'Check: XXH64'
mkfifo pipe.json.zst
zstd -qdc <pipe.json.zst | cmp - packed.json && echo a named pipe &
tracebridge convert -q plain.json -o pipe.json.zst
wait $!
ln -s /dev/full full.json.zst
tracebridge convert plain.json -o full.json.zst 2>&1
echo "no room: exit $?"
