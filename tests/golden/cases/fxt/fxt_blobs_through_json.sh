# JSON has no blobs; they are kept in events, and come back.
cat >trace.json <<'JSON'
{"traceEvents":[
{"ph":"M","pid":1,"name":"fxt.blob","args":{"name":"data","type":1,"category":"","bytes":"AAECcmF3"}},
{"ph":"M","pid":1,"name":"fxt.blob","args":{"name":"large","type":0,"category":"c","bytes":"b2Ygbm8gdGltZQ=="}},
{"ph":"i","s":"t","pid":1,"tid":2,"ts":0.13,"name":"of a thread","cat":"c","fxt_blob":0,"fxt_bytes":"b2YgYSB0aHJlYWQ="}]}
JSON
tracebridge convert -q trace.json -o trace.fxt || exit
tracebridge dump trace.fxt | grep blob
tracebridge convert -q trace.fxt -o again.json; echo "exit $?"
grep blob again.json
tracebridge convert -q again.json -o again.fxt && tracebridge dump again.fxt | grep blob | cut -d' ' -f2- |
  cmp - <(tracebridge dump trace.fxt | grep blob | cut -d' ' -f2-) && echo "the same blobs"
