# Parts are named, counted and reported; from a pipe, too. Wrong use is refused before a part is written.
# exit 3
cat >a.json <<'JSON'
[{"ph":"M","name":"process_name","pid":7,"args":{"name":"/bin/a\u001b b"}},
{"ph":"B","name":"long","pid":7,"tid":1,"ts":0},{"ph":"X","name":"x","pid":12,"tid":2,"ts":5,"dur":2},
{"ph":"E","pid":7,"tid":1,"ts":25},{"ph":"C","name":"n","pid":12,"ts":27,"args":{"v":1}}]
JSON
tracebridge split a.json --by process -o processes
tracebridge split --by time=10us --json -o seconds --suffix .pftrace <a.json
tracebridge split -q a.json --by thread -o threads --report report.json
cat report.json
cat processes/process-12.json
echo "merged again"
tracebridge merge processes/* -o again.pftrace
tracebridge diff a.json again.pftrace
tracebridge merge seconds/*0s.pftrace seconds/*2*s.pftrace -o - -q | tracebridge dump --events -
echo "refused"
tracebridge split a.json --by process -o processes
tracebridge split a.json --by process -o processes --force -q && ls processes
tracebridge split a.json --by process -o a.json
tracebridge split a.json -o b
tracebridge split a.json --by time -o b
for by in "" time=0s time=-1s size= size=0 size=1X size=99999999999999999999 size=999999999999T processes; do
  tracebridge split a.json --by "$by" -o b 2>&1 | head -1
done
tracebridge split -q a.json --by size=1.5KiB -o sizes --json | tr , '\n' | grep -c '"name"'
tracebridge split a.json --by process
tracebridge split a.json --by process -o b --suffix .txt
tracebridge split a.json --by time=1ns -o b
ls
tracebridge split nothing.json --by process -o b
