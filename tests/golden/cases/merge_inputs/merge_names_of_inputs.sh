# A name that fits two inputs is refused, whoever gives it; a longer end of a path says which one is meant.
mkdir -p runs/rank{0,1}
for rank in 0 1; do
  echo '{"baseTimeNanoseconds": 1700000000000000000, "traceEvents": [{"ph": "i", "name": "a", "pid": 1, "tid": 1, "ts": 5}]}' >runs/rank$rank/trace.json
done
cp runs/rank0/trace.json trace.json
merge() { tracebridge merge -q ./runs/rank0/trace.json runs/rank1/trace.json "$@" --dry-run --report -
echo "status $?" >&2; }
placed() { grep -E "trace.json:|offset"; }
manifest() {
  echo "{\"perfetto_manifest\": {\"version\": 1, \"files\": [{\"path\": \"$1\", \"machine\": {\"name\": \"node\"}}]}}" \
    >manifest.json; }
merge --offset trace.json=1s
merge --machine trace.json=node
manifest trace.json
merge --manifest manifest.json
echo "no input"
merge --offset race.json=1s
merge --offset rank2/trace.json=1s
echo "longer ends"
merge --offset rank1/trace.json=1s | placed
merge --offset ./runs/rank1/trace.json=1s | placed
merge --offset runs/rank0/trace.json=1s | placed
manifest rank1/trace.json
merge --manifest manifest.json | placed
echo "the whole name counts before an end"
merge trace.json --offset trace.json=1s | placed
merge trace.json trace.json --offset trace.json=1s
echo "given twice, in one word or another"
merge --offset rank1/trace.json=1s --offset runs/rank1/trace.json=2s
merge --machine rank1/trace.json=a --machine rank1/trace.json=b
merge --clock rank1/trace.json=REALTIME --clock rank1/trace.json=MONOTONIC
echo "the same file by another path, whichever was given"
here() { sed "s|$PWD|HERE|g"; }
merge --offset "$PWD/runs/rank1/trace.json=1s" | placed
merge --offset runs/../runs/rank1/trace.json=1s | placed
manifest "$PWD/runs/rank1/trace.json"
merge --manifest manifest.json | grep -c "machine node"
tracebridge merge -q "$PWD/runs/rank0/trace.json" "$PWD/trace.json" --dry-run --report - \
  --offset trace.json=1s --machine runs/rank0/trace.json=x 2>&1 |
  grep -E "trace.json:|offset|machine" | here
echo "the name to the letter counts before what is the same but for ./, by which one of a name twice is meant"
merge ./trace.json trace.json --offset trace.json=1s --offset ./trace.json=2s 2>/dev/null | placed
echo '[{"ph": "i", "name": "a", "pid": 1, "tid": 1, "ts": 5}]' >bare.json
tracebridge merge -q bare.json bare.json -o out.json 2>&1 | grep -e --offset
echo "what is in an archive has a manifest, and of these there is one"
tar cf all.tar runs
merge all.tar --offset all.tar/runs/rank0/trace.json=1s
merge --manifest manifest.json --manifest other.json
