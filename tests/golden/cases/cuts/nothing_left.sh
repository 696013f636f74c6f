# Where nothing of a trace is left, the output is a trace without events; one of which nothing can be read is refused.
cat >a.textproto <<'TEXT'
packet { timestamp: 100 trusted_packet_sequence_id: 1 etw_events { cpu: 1 } }
packet { timestamp: 200 trusted_packet_sequence_id: 1 perf_sample { pid: 5 tid: 6 cpu: 0 } }
TEXT
tracebridge trim a.textproto -o none.pftrace --start 1s --end 2s
tracebridge verify none.pftrace
tracebridge filter -q a.textproto -o none.pftrace.gz --thread 7
tracebridge verify none.pftrace.gz
printf '\n\007\022\005\012\003\010\377\377' >bad.pftrace
tracebridge repair bad.pftrace -o mended.pftrace
echo "status $?"
test -e mended.pftrace || echo 'no output'
