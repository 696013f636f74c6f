# A report overwrites neither an input nor the output, by whatever name: wrong usage, and nothing is read or written.
try() {
  echo "$*" >&2
  tracebridge "$@" >../taken
  echo "exit $?, $(stat -c %s ../taken) bytes to standard output" >&2
}
for name in a b; do cp "$DATA/phases/counters.json" "$name.json"; done
echo '{"perfetto_manifest": {"version": 1, "files": []}}' >m.json
tar cf both.tar a.json b.json
ln a.json hard.json
ln -s a.json soft.json
ln -s . here
tracebridge convert -q a.json -o old.pftrace
ln old.pftrace same.pftrace
state() { ls -i; sha256sum -- *.*; }
state >../before

for report in a.json ./a.json hard.json soft.json here/a.json; do
  try convert -q a.json -o new.pftrace --report "$report"; done
try convert -q - -o new.pftrace --report hard.json <a.json
for report in new.pftrace ./new.pftrace here/new.pftrace; do try convert -q a.json -o new.pftrace --report "$report"
done
for report in old.pftrace same.pftrace; do try convert -q a.json -o old.pftrace --report "$report"; done
for report in - /dev/stdout /dev/fd/1; do try convert -q a.json --to perfetto -o - --report "$report"; done
try convert -q a.json -o /dev/stdout --to perfetto --report -
try convert -q nosuch.json -o new.pftrace --report ./nosuch.json

try merge -q a.json b.json --unplaced start -o new.pftrace --report b.json
try merge -q both.tar --unplaced start -o new.pftrace --report here/both.tar
try merge -q a.json b.json --unplaced start --manifest m.json -o new.pftrace --report m.json
try merge -q a.json b.json --unplaced start --dry-run --report a.json
try merge -q a.json b.json --unplaced start -o old.pftrace --report same.pftrace
try merge -q a.json b.json --unplaced start -o - --report -

# the output itself: neither a manifest, nor what the shell opened
cp m.json m.pftrace
try merge -q a.json b.json --unplaced start --manifest m.pftrace -o m.pftrace
cmp m.json m.pftrace
# shellcheck disable=SC2094 # that is the point
try convert -q - -o a.json <a.json
rm m.pftrace
state | cmp - ../before && echo nothing was touched

# what may be
tracebridge convert -q a.json -o new.pftrace --report - | head -n 1
tracebridge convert -q a.json --to perfetto -o /dev/null --report /dev/null && echo one sink takes both
tracebridge merge -q a.json b.json --unplaced start --dry-run --report - | head -n 1
tracebridge convert -q a.json -o - --to perfetto --report report.txt | cmp - new.pftrace && head -n 1 report.txt
