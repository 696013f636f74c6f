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
