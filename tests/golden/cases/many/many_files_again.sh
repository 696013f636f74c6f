# What is up to date has an entry like the others, with what was lost when it was made. An output that was changed
# since, in as many bytes, is made again, and so is one of which an old record says no time. The report takes nothing's
# place.
trace='[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]'
mkdir in
echo "$trace" >in/a.json
echo "${trace%]},{\"na" >in/torn.json
touch -d 2020-01-01 in/* # older than what is made of them
run() {
  tracebridge convert in --out-dir out "$@" 2>&1 | sed -E 's/[0-9.]+ k?B/N B/g'
  echo "status ${PIPESTATUS[0]}"
}
entries() {
  python3 -c '
import json
report = json.load(open("report.json"))
for file in report["files"]:
    print(*(json.dumps(file[key]) for key in ("version", "exit_status", "error", "losses")), file["to"]["file"])'
}
run -q --report report.json
entries
run --report report.json
entries
echo "--- changed bytes"
cp out/a.perfetto-trace made
touch -r out/a.perfetto-trace time
printf 'XXXX' | dd of=out/a.perfetto-trace conv=notrunc status=none
[[ out/a.perfetto-trace -nt time ]] || touch -d 'now + 1 second' out/a.perfetto-trace
run
cmp made out/a.perfetto-trace
echo "--- a record without times of outputs"
python3 -c '
import re
record = open("out/.tracebridge", "rb").read()
open("out/.tracebridge", "wb").write(re.sub(rb"(?<=\0)((\d+ ){4}\d+) [^\0]*\0", rb"\1\0", record))'
run
run
echo "--- reports that have no place"
cp out/.tracebridge record
run --report out/.tracebridge
cmp record out/.tracebridge
rm out/a.perfetto-trace
run --report nowhere/report.json
ls -A out
