# What is left of a trace's texts, and what is said; with texts that are kept; from a pipe, of another format.
printf '%s' '[{"name":"load","cat":"a,b","ph":"X","ts":1,"dur":2,"pid":1,"tid":2,"args":{"path":"/home/me","n":5}},' \
  '{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"worker of mine"}},{"name":"load","ph":"i","ts":3,"pid":1,' \
  '"tid":2,"s":"t"}]' >a.json
tracebridge redact a.json --key k -o b.json
cat b.json
tracebridge redact - --key k --keep 'lo*' --keep '!long' --no-args --to json <a.json | tee c.json
tracebridge redact -q a.json --key k -o d.pftrace
tracebridge diff b.json d.pftrace
tracebridge redact a.json -o a.json
echo "status $?"
tracebridge redact a.json --key '' -o key.json
echo "status $?"
tracebridge redact "$DATA/damage/cut_in_event.json" --key k -o e.json
echo "status $?"
# an event without a tid stays so
printf '%s' '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":7,"tid":7},{"name":"b","ph":"X","ts":4,"dur":2,"pid":7,"own":"x"},' \
  '{"name":"c","ph":"i","ts":8,"s":"t","own":[1,"x"]}]' >f.json
tracebridge redact -q f.json --key k --to json
# the report for programs; ftrace text, which becomes its events; states of threads
tracebridge redact "$DATA/phases/thread_states.json" --key k --json -o g.json
cat g.json
tracebridge redact "$DATA/ftrace/small.ftrace" --key k --json -o h.json
tracebridge redact "$DATA/ftrace/small.ftrace" --json
echo "status $?"
