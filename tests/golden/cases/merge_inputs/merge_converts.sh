# A merge converts to what its output's name says: the same bytes, losses and exit status as convert makes of the merged
# trace.
export TMPDIR=$PWD/tmp
mkdir tmp
tracebridge convert -q "$DATA/phases/flows.json" -o a.perfetto-trace
cp "$DATA/phases/counters.json" b.json
cp "$DATA/phases/instants.json" c.json
tracebridge merge -q a.perfetto-trace b.json c.json --unplaced=start -o all.pftrace
for name in all.json all.json.gz all.json.zst all.fxt all.fxt.gz all.fxt.zst; do
  tracebridge convert -q all.pftrace -o "by-convert-$name" 2>losses
  by_convert=$?
  tracebridge merge -q a.perfetto-trace b.json c.json --unplaced=start -o "$name" 2>said
  echo "$name: exit $? and $by_convert"
  cmp "$name" "by-convert-$name" && echo same bytes
  sed 's/^tracebridge: [^:]*: //' losses >losses-alone
  sed '/: warning: /d; s/^tracebridge: [^:]*: //' said | cmp - losses-alone && echo same losses
done
ls tmp
mkfifo pipe.json
cmp pipe.json all.json && echo a named pipe &
tracebridge merge -q a.perfetto-trace b.json c.json --unplaced=start -o pipe.json
wait $!
echo "with a report, and with packets that JSON and FXT cannot say"
(cat a.perfetto-trace; printf '\n\006\272\076\001x\100\005') >unknown.perfetto-trace
for name in out.fxt out.json; do
  tracebridge merge unknown.perfetto-trace b.json --unplaced=start -o "$name" --report report.json
  echo "exit $?"
  head -n 2 report.json
  tracebridge merge -q unknown.perfetto-trace b.json --unplaced=start -o "$name" --report - | grep -v '^ '
done
echo "over an input, and where there is no room"
tracebridge merge -q a.perfetto-trace b.json --unplaced=start -o b.json
echo "exit $?"
(ulimit -f 1; trap '' XFSZ; tracebridge merge -q a.perfetto-trace "$DATA/real/node-trace-events.json" --unplaced=start \
  -o full.json) 2>&1
echo "exit $?"
ls tmp
test ! -e full.json
