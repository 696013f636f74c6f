# Where inputs and outputs share a folder, what would become itself is said, unless an earlier run made it; a trace that
# none made is never overwritten.
# exit 1
trace='[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]'
mkdir in other
echo "$trace" >in/a.json
tracebridge convert -q in/a.json -o in/t.perfetto-trace
run() {
  tracebridge convert "$@" 2>&1 | sed -E 's/[0-9.]+ k?B/N B/g'
  echo "status ${PIPESTATUS[0]}"
}
run in --out-dir in
echo "--- again"
run in --out-dir in --report report.json
python3 -c '
import json
report = json.load(open("report.json"))
print({key: value for key, value in report.items() if key != "files"})'
run -q in --out-dir in
echo "--- back, over the trace that it was made of"
run in --out-dir in --suffix .json
cat in/a.json
echo "--- named, and not found in a folder"
run in/a.json in/t.perfetto-trace --out-dir in
echo "--- nothing else"
cp in/a.json other
tracebridge convert other --out-dir other --suffix .json
