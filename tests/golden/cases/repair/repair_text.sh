# Events of text that is not quite JSON, as when another process wrote into it, are read as what they were meant to be,
# and counted with the first place. A trace whose beginning is lost has no format that can be detected: --from names it.
{
  echo '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":10,"dur":5},'
  echo '{"ph":"X","name":"b","pid":1,"tid":1 "ts":20,"dur":5},'
  echo '{"ph":"X","name":"c","pid":1,"tid:1,"ts":30,"dur":5},'
  echo '{"ph":"X","name":"d","pid":1,"tid":1,"ts":40,"dur":5}]'
} >in.json
tracebridge repair in.json -o out.json
tracebridge repair -q in.json -o out.json --json
tracebridge dump --events out.json | grep -o 'name=.*'
tracebridge repair out.json -o again.json
echo '--- without its beginning'
tracebridge convert -q in.json -o whole.pftrace
tail -c +4 whole.pftrace >tail.pftrace
tracebridge repair tail.pftrace -o out.pftrace || echo $?
tracebridge repair -q --from perfetto tail.pftrace -o out.pftrace && tracebridge verify out.pftrace
echo '--- ftrace text stays as it is, with what is no event of it'
printf %s\\n '{"traceEvents":[],' \
  '"systemTraceEvents":"# tracer: nop\n# a comment\n  a-1 [000] ...1 1.0: tracing_mark_write: C|1|n|7\n"}' >text.json
tracebridge repair -q text.json -o out.json && grep -o '# a.*' out.json
