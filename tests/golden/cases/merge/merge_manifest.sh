# A manifest that refers to itself, or to what is not there, that has two entries of one input or contradicts itself is
# refused, with where that is; inputs that only the command line names may be in sync_to.
mkdir x
echo '{"traceEvents": [{"ph": "i", "name": "a", "pid": 1, "tid": 1, "ts": 5}]}' >x/a.json
sed "s/\"a\"/\"b\"/" x/a.json >b.json
sed "s/\"a\"/\"c\"/" x/a.json >c.json
try() { # try ENTRIES OPTION...: with a manifest of these entries
  echo "{\"perfetto_manifest\": {\"version\": 1, \"files\": [$1]}}" >m.json
  shift
  tracebridge merge -q x/a.json b.json c.json --unplaced=start --manifest m.json "$@" --dry-run --report report.txt
  echo "status $?" >&2
  grep -sE 'json:|placed by: [^i]|offset' report.txt >&2
  rm -f report.txt
}
sync() { echo "{\"path\": \"$1\", \"clocks\": {\"sync_to\": {\"file\": \"$2\"}, \"offset_ns\": $3}}"; }
try "$(sync b.json a.json 1000)"
try "$(sync b.json x/a.json 1000)"
try "$(sync b.json b.json 1000)"
try "$(sync b.json ./b.json 1000)"
try "$(sync b.json nosuch.json 1000)"
try "{\"path\": \"a.json\"}, {\"path\": \"nosuch.json\"}, $(sync b.json nosuch.json 1000)"
try '{"path": "a.json"}, {"path": "x/a.json"}'
try '{"path": "a.json"}, {"path": "b.json"}, {"path": "a.json"}'
try "{\"path\": \"b.json\", \"clocks\": {\"sync_to\": {\"file\": \"a.json\"}, \"offset\": 1000}}"
try "$(sync b.json a.json 1000), $(sync c.json b.json 1000), $(sync a.json c.json -2000)"
try "$(sync b.json a.json 1000), $(sync c.json b.json 1000), $(sync a.json c.json -9000)"
try "$(sync b.json a.json 1000)" --offset b.json=1000ns
try "$(sync b.json a.json 1000)" --offset b.json=1ms --offset a.json=0
echo "a machine that --machine calls otherwise" >&2
try '{"path": "b.json", "machine": {"name": "M"}}' --machine b.json=N
try '{"path": "b.json", "machine": {"name": "M"}}' --machine b.json=M
