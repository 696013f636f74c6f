# The trace processor refuses a trace with a bundle of ftrace events of a processor past 1023: such lines stay in the
# text alone.
for cpu in 1023 1024 5000; do
  printf '     app-10    [%s] .... 100.000001: tracing_mark_write: B|10|on %s\n' $cpu $cpu
done >trace.ftrace
tracebridge convert trace.ftrace -o trace.perfetto-trace
echo "status $?"
tracebridge dump trace.perfetto-trace | grep -E ' cpu: | buf: '
tracebridge convert --quiet trace.perfetto-trace -o trace.json
grep -c 'on 5000' trace.json
