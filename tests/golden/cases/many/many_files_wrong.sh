# What many files cannot mean is wrong usage, and one that fails does not stop the others.
# exit 1
trace='[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]'
mkdir -p x y nothing
echo "$trace" >x/t.json
echo "$trace" >y/t.json
echo "no trace" >y/u.json
try() { tracebridge convert "$@" || echo "status $?" >&2; }
try x/t.json ./x/t.json x/t.json --out-dir out
try x/t.json --out-dir out -o a.json
try x/t.json --jobs 2 -o a.fxt
try x/t.json --suffix .json -o a.fxt
try - --out-dir out
try --out-dir out
try x/t.json --out-dir out --suffix json
try x/t.json --out-dir out --suffix .zip
try x/t.json --out-dir x/t.json
try x/missing.json --out-dir out
try nothing --out-dir out
try x --out-dir out --report x/t.json
try x --out-dir out --report out/t.perfetto-trace
try x --out-dir x --suffix .json
ls
echo "--- a file that is there stays" >&2
mkdir -p out
echo old >out/t.perfetto-trace
try -n x/t.json --out-dir out
cat out/t.perfetto-trace
echo "--- a folder that another run writes to" >&2
(
  flock 9
  try x --out-dir out
) 9>>out/.tracebridge
echo "--- two that would become one file fail, and all else is converted" >&2
mkdir -p both/deep
for file in t.json deep/u.json w.json; do echo "$trace" >both/$file; done
gzip -c both/t.json >both/t.json.gz
tracebridge convert -q both/w.json -o both/w.perfetto-trace
try both --out-dir of-both 2>&1 | sed -E 's/[0-9.]+ k?B/N B/g' >&2
try -q x/t.json y/t.json --out-dir of-both --report -
find of-both -name '*-trace'
tracebridge convert y --out-dir good 2>&1 | sed -E 's/[0-9.]+ k?B/N B/g'
tracebridge convert -q y --out-dir good
