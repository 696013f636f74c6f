#!/bin/bash
# self.sh TRACEBRIDGE GUARD_FEED: recording twice is the same; another digest, another mode or a missing line is found.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "guard.self: $*"
  exit 1
}
mkdir "$work/traces"
cp "$here"/../data/phases/be_pairs.json "$here"/../data/ftrace/small.ftrace "$work/traces"
python3 -B "$here/../bench/orders_generate.py" random json 400 4 "$work/traces/random.json"
for name in one two; do
  "$here/guard.py" record "$1" --feeder "$2" -o "$work/$name.tsv" "$work/traces"
done
"$here/guard.py" compare "$work/one.tsv" "$work/two.tsv" || fail "recording is not the same twice"
for name in be_pairs random; do
  [[ $(grep -c "$name" "$work/one.tsv") -gt 10 ]] || fail "lines of $name are missing"
done
cut -f 7 "$work/one.tsv" | tail -n +2 | grep -v '^-$' && fail "modes differ"

# finds NAME COLUMN: another text in this column of a line is found and called NAME; column 0: the line is left out.
finds() {
  awk -F'\t' -v OFS='\t' -v column="$2" 'NR == 9 && column { $column = "9" } NR != 9 || column' \
    "$work/one.tsv" >"$work/$1.tsv"
  if "$here/guard.py" compare "$work/one.tsv" "$work/$1.tsv" >"$work/said"; then fail "not found: $1"; fi
  grep -q "$1" "$work/said" || fail "called another thing than $1: $(cat "$work/said")"
}
finds status 3
finds output 4
finds stderr 5
finds report 6
finds modes 7
finds "is gone" 0
