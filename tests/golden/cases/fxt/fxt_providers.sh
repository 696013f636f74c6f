# Processes are written by the providers that metadata gives them, under their ids; by ones of ours where it gives none.
cat >trace.json <<'JSON'
{"fxt.provider.4":"net","fxt.provider.9":"without processes","traceEvents":[
{"ph":"i","s":"t","pid":1,"tid":2,"ts":0.5,"name":"of nobody"},
{"ph":"M","pid":10,"name":"fxt.provider","args":{"id":1,"name":"late"}},
{"ph":"M","pid":20,"name":"fxt.provider","args":{"id":4,"name":"net"}},
{"ph":"M","pid":30,"name":"fxt.provider","args":{"id":4,"name":"net"}},
{"ph":"M","pid":30,"name":"process_name","args":{"name":"thirty"}},
{"ph":"M","pid":40,"name":"fxt.provider","args":{"id":4,"name":"another of this id"}},
{"ph":"i","s":"t","pid":10,"tid":11,"ts":1,"name":"a"},
{"ph":"i","s":"t","pid":20,"tid":21,"ts":2,"name":"b"},
{"ph":"i","s":"t","pid":30,"tid":31,"ts":3,"name":"c"},
{"ph":"i","s":"t","pid":40,"tid":41,"ts":4,"name":"d"}]}
JSON
show() { tracebridge dump "$1" | grep -E "provider|section|kernel_object|instant"; }
tracebridge convert -q trace.json -o direct.fxt || exit
show direct.fxt
echo "-- through Perfetto, which has metadata first"
tracebridge convert -q direct.fxt -o between.perfetto-trace &&
  tracebridge convert -q between.perfetto-trace -o back.fxt || exit
show back.fxt
echo "-- and again"
tracebridge convert -q back.fxt -o between.perfetto-trace &&
  tracebridge convert -q between.perfetto-trace -o again.fxt || exit
cmp back.fxt again.fxt && echo "the same"
