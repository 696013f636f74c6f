# An event without a tid, of a thread whose first event has one: ids are the thread's, and what the event lacks is said.
echo '[{"ph":"i","pid":7,"tid":7,"ts":1,"name":"a","s":"t"},{"ph":"i","pid":7,"ts":2,"name":"b","s":"t","cname":"c"},
{"ph":"i","pid":7,"ts":3,"name":"c","s":"t"}]' >absent.json
tracebridge dump --events absent.json
