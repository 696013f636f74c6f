# A full disk is an I/O error of the merge too, and so is a pipe that nobody reads.
# exit 3
tracebridge convert -q "$DATA/phases/flows.json" -o a.perfetto-trace
tracebridge merge -q --unplaced=start a.perfetto-trace "$DATA/phases/counters.json" -o /dev/full
status=$?
cat a.perfetto-trace >long.perfetto-trace
for _ in {1..12}; do cat long.perfetto-trace long.perfetto-trace >twice && mv twice long.perfetto-trace; done
(trap '' PIPE; tracebridge merge -q --unplaced=start long.perfetto-trace a.perfetto-trace -o - 2>message
echo "closed pipe: exit $?" >&2) | head -c 1 >/dev/null
grep -o 'Broken pipe' message
find . -name "*.pftrace*"
exit $status
