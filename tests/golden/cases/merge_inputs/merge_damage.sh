# Complete packets are kept, before the damage and behind it; the exit status says that something was lost.
# exit 4
tracebridge convert -q "$DATA/phases/counters.json" -o a.perfetto-trace
tracebridge convert -q "$DATA/phases/flows.json" -o b.perfetto-trace
size=$(stat -c %s a.perfetto-trace)
head -c $((size - 2)) a.perfetto-trace >cut.perfetto-trace
(cat a.perfetto-trace; printf '\007\007\007'; cat a.perfetto-trace) >middle.perfetto-trace
tracebridge merge --unplaced=start cut.perfetto-trace b.perfetto-trace -o one.pftrace
echo "exit $?"
tracebridge merge --unplaced=start b.perfetto-trace middle.perfetto-trace -o two.pftrace --report - |
  grep -A9 '^middle' | grep packets:
# what times are missing behind damage nobody knows
for file in a middle; do
  tracebridge merge -q b.perfetto-trace $file.perfetto-trace --offset $file.perfetto-trace=0s --dry-run --report - \
    2>/dev/null | grep -A3 "^$file" | grep offset
done
printf 'not a trace' >bad.perfetto-trace
tracebridge merge --unplaced=start b.perfetto-trace bad.perfetto-trace -o three.pftrace
echo "exit $?"
ls three.pftrace 2>/dev/null
tracebridge merge -q --unplaced=start b.perfetto-trace bad.perfetto-trace -o three.pftrace --skip-bad
