# A trace that goes to JSON and back says once what its samples cannot say of a counter, however often it does.
cat >a.txt <<'END'
packet { track_descriptor { uuid: 1 thread { pid: 5 tid: 6 thread_name: "worker" } } }
packet { track_descriptor { uuid: 2 parent_uuid: 1 name: "depth" counter {} } }
packet { timestamp: 10000 trusted_packet_sequence_id: 1
         track_event { type: TYPE_COUNTER track_uuid: 2 counter_value: 3 } }
packet { timestamp: 20000 trusted_packet_sequence_id: 1
         track_event { type: TYPE_COUNTER track_uuid: 2 counter_value: 4 } }
END
tracebridge convert -q a.txt --to json -o 1.json
for i in 1 2 3; do
  tracebridge convert -q $i.json -o a.pftrace
  tracebridge convert -q a.pftrace -o $((i + 1)).json
done
cat 4.json
