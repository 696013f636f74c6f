# Where no input is named and something is piped, that is the input, as it is convert's.
cp "$DATA/phases/counters.json" trace.json
tracebridge merge -q trace.json -o named.pftrace
tracebridge merge -q -o piped.pftrace < <(cat trace.json) && cmp named.pftrace piped.pftrace && echo a pipe
tracebridge merge -q -o file.pftrace <trace.json && cmp named.pftrace file.pftrace && echo a file
# with an input that is named the pipe is none
tracebridge merge -q trace.json -o both.pftrace < <(cat trace.json) && cmp named.pftrace both.pftrace
tracebridge merge -q -o nothing.pftrace
echo "nothing: exit $?" >&2
