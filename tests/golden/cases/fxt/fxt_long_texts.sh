# A string of FXT holds 32,000 bytes. What is behind them of an argument's text comes back, and no character is cut in
# two.
long() { head -c "$2" /dev/zero | tr '\0' "$1"; }
{
  printf '{"traceEvents":[\n{"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"x","args":{"first":"%sß%s","short":"s","second":"%s"}},\n' \
    "$(long a 31999)" "$(long b 40000)" "$(long c 32001)"
  printf '{"ph":"O","pid":1,"tid":2,"ts":2,"name":"o","id":"0x1","args":{"snapshot":{"tree":["%s",{"deep":"%s"}]}}},\n' \
    "$(long d 20000)" "$(long e 20000)"
  printf '{"ph":"M","pid":1,"name":"process_labels","args":{"labels":"%s"}}\n],"metadata":{"trace":"%s"}}\n' \
    "$(long f 32000)" "$(long g 50000)"
} >trace.json
tracebridge convert -q trace.json -o trace.fxt; echo "exit $?"
tracebridge dump trace.fxt | cut -c1-100 | grep -avE "thread index|init|provider"
tracebridge convert -q trace.json --to json -o expected.json
tracebridge convert -q trace.fxt --to json -o actual.json
cmp <(sort expected.json) <(sort actual.json) && echo "the same"
echo "-- metadata of any shape"
cat >metadata.json <<'JSON'
{"traceEvents":[{"ph":"M","name":"thing","pid":1,"args":{"a.b":{"c":1},"d":{"e":[1,{"f.g":2}]},"n":{},"x":5}}],
"metadata":{"trace":"x","n":1,"deep":{"a":[1,2,{}]}},"other.key":{"a":1},"list":[1,2],"num":5,"str":"s","nul":null,"empty":{}}
JSON
tracebridge convert -q metadata.json -o metadata.fxt && tracebridge convert -q metadata.fxt --to json -o -
