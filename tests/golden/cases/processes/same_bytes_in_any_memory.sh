# One trace of every kind of event, threads in order, with children first, and with one event that comes too late, large
# enough to spill with --memory 1M: the same bytes with much memory and little, with one thread and two.
# takes long
awk 'BEGIN {
  print "[";
  for (i = 0; i < 12000; i++) {
    t = 1000 + i * 7; tid = 1 + i % 5;
    printf "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"tts\":%d,\"tdur\":%d,\"name\":\"n%d\",\"cat\":\"c,d\",\"args\":{\"a\":%d,\"s\":\"text %d\"},\"bind_id\":%d,\"flow_out\":true},\n", tid, t, i % 30, i, i % 3, i % 50, i, i % 9, i;
    printf "{\"ph\":\"i\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"s\":\"t\",\"name\":\"mark\"},\n", tid, t + 1;
    printf "{\"ph\":\"b\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"id\":%d,\"cat\":\"async\",\"name\":\"op\"},\n", tid, t, i % 40;
    printf "{\"ph\":\"e\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"id\":%d,\"cat\":\"async\",\"name\":\"op\"},\n", tid, t + 5, i % 40;
    printf "{\"ph\":\"C\",\"pid\":1,\"ts\":%d,\"name\":\"load\",\"args\":{\"v\":%d}},\n", t, i * i % 1000;
    printf "{\"ph\":\"X\",\"pid\":2,\"tid\":20,\"ts\":%d,\"dur\":1,\"name\":\"child\",\"args\":{\"a\":%d}},\n", t + 2, i;
    printf "{\"ph\":\"X\",\"pid\":2,\"tid\":20,\"ts\":%d,\"dur\":5,\"name\":\"parent\",\"args\":{\"a\":%d}},\n", t, i;
    printf "{\"ph\":\"X\",\"pid\":2,\"tid\":21,\"ts\":%d,\"dur\":5,\"name\":\"in order but for one\"},\n", i == 11990 ? 50 : t;
    if (i % 4 == 0) printf "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":3,\"name\":\"late\",\"bind_id\":%d,\"flow_in\":true},\n", 9, t - 500, i;
  }
  print "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"worker\"}}]";
}' > trace.json
tracebridge convert -q -j1 trace.json -o much.perfetto-trace
tracebridge convert -q -j2 trace.json -o two.perfetto-trace
tracebridge convert -j1 --memory 1M trace.json -o little.perfetto-trace 2>&1 | grep -c spilled
cmp much.perfetto-trace two.perfetto-trace && cmp much.perfetto-trace little.perfetto-trace && echo the same
echo "-- ftrace text, whose last line has no end"
for ((i = 0; i < 1200; i++)); do cat "$DATA/ftrace/small.ftrace"; done >trace.ftrace
printf '             app-31     (   30) [000] ....   900.515625: tracing_mark_write: B|30|the last' >>trace.ftrace
tracebridge convert -q trace.ftrace -o much.perfetto-trace
tracebridge convert --memory 1M trace.ftrace -o little.perfetto-trace 2>&1 | grep -c spilled
cmp much.perfetto-trace little.perfetto-trace && echo the same
# but for the lines of other tracers, which are comments in JSON
tracebridge convert -q little.perfetto-trace --to json -o - | python3 -c '
import json, sys
text = json.load(sys.stdin)["systemTraceEvents"]
same = text.replace("\n# CPU:1 [LOST", "\nCPU:1 [LOST").replace("\n#      app-31  ", "\n     app-31  ")
print(len(text), same == open("trace.ftrace").read())'
echo "-- more threads than little memory has room for, with flows, thread times and slices that overlap"
awk 'BEGIN {
  print "[";
  for (i = 0; i < 9000; i++) {
    tid = 1 + i * 7 % 1500; t = 100000 + (i % 11 == 0 ? -i : i) * 3;
    printf "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"name\":\"n%d\",\"cat\":\"c%d\",\"args\":{\"a%d\":\"text %d\"}%s},\n", tid, t, i % 9000, i % 50, i % 5, i % 7, i % 30, tid % 3 ? "" : ",\"tts\":" i ",\"tdur\":1.5";
    if (tid % 5 == 0) printf "{\"ph\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"id\":%d,\"cat\":\"f\",\"name\":\"flow\"},\n", i % 2 ? "s" : "f", tid, t, i % 20;
    if (tid % 4 == 0) printf "{\"ph\":\"i\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"s\":\"t\",\"name\":\"mark\"},\n", tid, t;
  }
  print "{}]";
}' > threads.json
tracebridge convert -q threads.json -o much.perfetto-trace
tracebridge convert -q --memory 1M threads.json -o little.perfetto-trace
cmp much.perfetto-trace little.perfetto-trace && echo the same
