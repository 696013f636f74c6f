# A name that says no format is wrong usage, before anything is read; what is no file may have any name.
cp "$DATA/phases/counters.json" a.json
for name in m.foo m m.zst perfetto-trace; do
  tracebridge merge nosuch.json -o "$name"
  echo "$name: exit $?" >&2
done
ls
for name in m.pftrace m.perfetto-trace m.pftrace.gz m.perfetto-trace.gz; do
  tracebridge merge -q a.json -o "$name" && tracebridge info "$name" | head -n 1
done
cmp m.pftrace m.perfetto-trace
gzip -dc m.pftrace.gz | cmp - m.pftrace
tracebridge merge -q a.json -o m.pftrace.zst
zstd -qdc m.pftrace.zst | cmp - m.pftrace
# what is no file may have any name
tracebridge merge -q a.json -o - | cmp - m.pftrace && echo standard output
tracebridge merge -q a.json -o /dev/stdout | cmp - m.pftrace && echo its name
tracebridge merge -q a.json -o /dev/null && echo a device
mkfifo pipe
cmp pipe m.pftrace && echo a named pipe &
tracebridge merge -q a.json -o pipe
wait $!
tracebridge merge -q a.json -o any.json --dry-run | head -n 1
