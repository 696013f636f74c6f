# An operand that is not there, and a folder that cannot be read, fail alone: the others are converted, and the report
# has an entry for each. What has a trace's name but is no file is said.
# exit 3
trace='[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]'
as_user=()
[[ $(id -u) == 0 ]] && as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
chmod 755 ..
chmod 777 .
"${as_user[@]}" tracebridge version >version.txt || exit 77
run() {
  "${as_user[@]}" tracebridge convert "$@" 2>&1 | sed -E 's/[0-9.]+ k?B/N B/g'
  echo "status ${PIPESTATUS[0]}"
}
entries() {
  python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print({key: value for key, value in report.items() if key != "files"})
for file in report["files"]:
    print(*(json.dumps(file[key]) for key in ("version", "exit_status", "error", "from", "to", "losses")))' "$1"
}
mkdir -p in/closed
echo "$trace" >a.json
echo "$trace" >in/b.json
echo "$trace" >in/closed/c.json
ln -s nothing in/dangling.json
ln -s loop.json in/loop.json
ln -s nothing in/notes
mkfifo in/pipe.json
chmod 000 in/closed
run a.json missing.json in --out-dir out --report report.json
entries report.json
find out -name '*.perfetto-trace' | LC_ALL=C sort
echo "--- nothing can be read, and no line where one is not wanted"
run missing.json --out-dir other --report -
"${as_user[@]}" tracebridge convert -q missing.json in --out-dir out
status=$?
chmod 755 in/closed
exit "$status"
