# A global instant keeps its id, and the last name of a thread or process stays the last.
cat >in.json <<'EVENTS'
[{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": ""}},
 {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "Main Thread"}},
 {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "worker"}},
 {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": ""}},
 {"ph": "M", "name": "thread_name", "pid": 1, "tid": 3, "args": {"name": ""}},
 {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": ""}},
 {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}},
 {"ph": "i", "s": "g", "id": "0x7", "name": "number", "pid": 1, "tid": 1, "ts": 9},
 {"ph": "i", "s": "g", "id": "seven", "name": "text", "pid": 1, "tid": 1, "ts": 10},
 {"ph": "i", "s": "g", "id": "0x8", "name": "of nobody", "ts": 11}]
EVENTS
tracebridge convert -q in.json -o out.perfetto-trace && tracebridge convert -q out.perfetto-trace -o back.json
cat back.json
# A thread without a process is none of the processes that have a thread of its number.
echo '[{"ph":"X","name":"of 2","ts":1,"dur":4,"pid":2,"tid":2},{"ph":"X","name":"of none","ts":10,"dur":20,"tid":2},
{"ph":"X","name":"of 3","ts":12,"dur":40,"pid":3,"tid":2}]' >none.json
tracebridge convert -q none.json -o none.pftrace && tracebridge convert -q none.pftrace -o - --to json
tracebridge convert -q none.pftrace -o none.fxt && tracebridge diff none.json none.fxt | sed 1,2d | head -1
for order in "uuid: 1 thread { tid: 2 }|uuid: 3 thread { pid: 2 tid: 2 }" \
  "uuid: 3 thread { pid: 2 tid: 2 }|uuid: 1 thread { tid: 2 }"; do
  for descriptor in "${order%|*}" "${order#*|}"; do
    echo "packet { trusted_packet_sequence_id: 1 track_descriptor { $descriptor } }"
  done >none.textproto
  for uuid in 1 3; do
    echo "packet { trusted_packet_sequence_id: 1 timestamp: ${uuid}000
      track_event { type: TYPE_INSTANT track_uuid: $uuid name: \"of $uuid\" } }"
  done >>none.textproto
  tracebridge convert -q none.textproto -o - --to json
done
