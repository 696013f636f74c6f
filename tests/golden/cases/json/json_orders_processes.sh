# Sort indexes of processes and threads are ranks, and the trace's own descriptor says that they are meant; without any
# there is no such descriptor.
cat > in.json <<'END'
[{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":-3}},
{"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":7}},
{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":5}]
END
tracebridge convert in.json -o out.pftrace
tracebridge dump out.pftrace | grep -aE 'uuid: 0$|ordering|rank|sort_index'
tracebridge merge -q out.pftrace out.pftrace -o merged.pftrace --unplaced=start
tracebridge dump merged.pftrace | grep -aE 'uuid: 0$|ordering' | sort | uniq -c
tracebridge convert -q out.pftrace -o back.json
grep -a sort_index back.json
echo '[{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":5}]' > plain.json
tracebridge convert plain.json -o plain.pftrace
tracebridge dump plain.pftrace | grep -aE "ordering|rank" || echo none
