# Slices that begin at the start do so in the order in which they began, which may be another one than that of the file.
# Where no Perfetto trace is written, each begin stays in front of its end: one behind it would not find it.
cat >late.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 thread { pid: 5 tid: 6 thread_name: "one" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 2 thread { pid: 5 tid: 7 thread_name: "two" } } }
packet { timestamp: 3000 trusted_packet_sequence_id: 1
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 1 name: "later" } }
packet { timestamp: 8000 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END track_uuid: 1 } }
packet { timestamp: 2000 trusted_packet_sequence_id: 2
  track_event { type: TYPE_SLICE_BEGIN track_uuid: 2 name: "earlier" } }
packet { timestamp: 7000 trusted_packet_sequence_id: 2 track_event { type: TYPE_SLICE_END track_uuid: 2 } }
TEXT
tracebridge trim -q late.textproto -o part.json --start TRACE:3500ns --end TRACE:9000ns
grep -o '"ph":"[^M].*' part.json
tracebridge trim -q late.textproto -o part.pftrace --start TRACE:3500ns --end TRACE:9000ns
tracebridge dump --events part.pftrace | grep 'slice begin'
# Of events of Windows the end of an operation that is open at the end comes behind its begin in the same way.
cat >files.textproto <<'TEXT'
packet { etw_events {
  event { timestamp: 1000 cpu: 1 thread_id: 7 file_io_create { irp_ptr: 10 open_path: "a" } }
  event { timestamp: 2000 cpu: 1 thread_id: 7 file_io_simple_op { irp_ptr: 11 opcode: 73 } } } }
packet { etw_events {
  event { timestamp: 5000 cpu: 1 thread_id: 7 file_io_op_end { irp_ptr: 11 } }
  event { timestamp: 6000 cpu: 1 thread_id: 7 file_io_op_end { irp_ptr: 10 nt_status: 5 } } } }
TEXT
tracebridge trim -q files.textproto -o part.json --start TRACE:1500ns --end TRACE:3000ns
grep -o '"name":"[^M].*' part.json
# Times below 0 stay: those of a build that began before what it measures from.
echo '[{"ph":"X","name":"before","ts":-1000,"dur":900,"pid":1,"tid":1},
{"ph":"X","name":"behind","ts":5000,"dur":1000,"pid":1,"tid":1}]' >zero.json
for window in "--start 500us" "--end 500us" "--start 200us --end 600us" "--start 500us --shift 2ms"; do
  # shellcheck disable=SC2086 # two options
  tracebridge trim -q zero.json -o part.json $window
  grep -o '"name":"[^M].*' part.json
done
# Flows stay within what is left of their slices.
cat >flows.json <<'TEXT'
[{"ph":"X","name":"A","ts":5000,"dur":100,"pid":10,"tid":11},
{"ph":"s","name":"fl","cat":"f","id":7,"ts":5050,"pid":10,"tid":11},
{"ph":"X","name":"B","ts":5110,"dur":90,"pid":10,"tid":11},{"ph":"X","name":"C","ts":6000,"dur":100,"pid":20,"tid":20},
{"ph":"f","name":"fl","cat":"f","id":7,"bp":"e","ts":6050,"pid":20,"tid":20}]
TEXT
tracebridge trim -q flows.json -o part.json --start TRACE:5070us --end TRACE:6020us
grep -o '"name":"[^M].*' part.json
# Of ftrace's text that what the window has, once.
cat >ftrace.txt <<'TEXT'
# tracer: nop
#
  foo-11 [000] ...1 100.100000: tracing_mark_write: C|11|count|7
  foo-11 [000] ...1 100.700000: tracing_mark_write: C|11|count|8
  foo-11 [000] ...1 100.900000: tracing_mark_write: C|11|count|9
TEXT
{
  printf '{"traceEvents":[{"ph":"X","name":"a","ts":100000000,"dur":1000000,"pid":1,"tid":1}],"systemTraceEvents":"'
  awk '{ printf "%s\\n", $0 }' ftrace.txt
  echo '"}'
} >text.json
tracebridge trim -q text.json -o part.json --start TRACE:100.5s --end TRACE:100.8s
cat part.json
tracebridge trim -q text.json -o - --to perfetto --start TRACE:100.5s --end TRACE:100.8s | grep -ac 'count|9' || true
# When the time 0 was is another date once the events are later.
echo '{"baseTimeNanoseconds":1700000000000000000,"traceEvents":[{"ph":"X","name":"a","ts":1000,"dur":9}]}' >dated.json
tracebridge trim -q dated.json -o part.json --shift 10ms
grep -o '"ts":[0-9]*\|"base.*' part.json
# How far Chrome's clock is from the epoch, too: as text, and as a number of a clock without a name.
echo '{"traceEvents":[{"ph":"X","name":"a","ts":1000,"dur":9}],"metadata":{"clock-domain":"LINUX_CLOCK_MONOTONIC",
"clock-offset-since-epoch":"1699999600000000","os":"Linux"}}' >chrome.json
echo '{"traceEvents":[{"ph":"X","name":"a","ts":1000,"dur":9}],
"metadata":{"clock-offset-since-epoch":1699999600000000,"of":{"clock-offset-since-epoch":1}}}' >unnamed.json
for file in chrome unnamed; do
  tracebridge trim -q $file.json -o part.json --shift 10ms
  grep -o '"ts":[0-9]*\|"metadata.*' part.json
done
