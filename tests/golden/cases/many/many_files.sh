# Many files: each goes to a file of its name, the traces in a folder keep their places; what is made is not made again
# unless its input, the options or the output changed.
# exit 4
trace='[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]'
mkdir -p in/deep in/empty
echo "$trace" >in/a.json
echo "$trace" | gzip >in/b.1.JSON.gz
echo "$trace" >in/deep/a.json
echo "$trace" >in/trace.17
echo "notes" >in/notes.md
ln -s ../deep in/deep/loop
echo "$trace" >lone.17
echo "${trace%]},{\"na" >in/torn.json
run() {
  tracebridge convert "$@" 2>&1 | sed -E 's/[0-9.]+ k?B/N B/g'
  echo "status ${PIPESTATUS[0]}"
}
run in lone.17 --out-dir out
find out | LC_ALL=C sort
tracebridge info out/deep/a.perfetto-trace | head -1
echo "--- again, and after a change of one input"
run in lone.17 --out-dir out --jobs 2
sleep 0.02
echo "$trace" >in/deep/a.json
run in lone.17 --out-dir out
echo "--- other options, another output, one that is gone"
run in/a.json in/deep/../b.1.JSON.gz --out-dir out --strict
rm out/a.perfetto-trace
echo changed >out/b.1.perfetto-trace
run in/a.json in/deep/../b.1.JSON.gz --out-dir out --strict
echo "--- in the folder of their inputs, in another format"
run in --out-dir in --suffix .fxt.gz -q
find in -name '*.fxt.gz' | LC_ALL=C sort
run in --out-dir in --suffix .fxt.gz --report report.json
python3 -c '
import json
report = json.load(open("report.json"))
print({key: value for key, value in report.items() if key != "files"})
for file in report["files"]: print(file["exit_status"], file["from"]["file"], file["to"]["file"])'
run in/a.json --out-dir json --to json --report -
rm in/*.fxt.gz in/deep/*.fxt.gz
tracebridge convert -q in --out-dir again
