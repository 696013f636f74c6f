#!/bin/bash
# self.sh TRACEBRIDGE GUARD_FEED: recording twice is the same; another digest, another mode or a missing line is told.
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
for name in one two; do
  "$here/guard.py" record "$1" --feeder "$2" -o "$work/$name.tsv" "$work/traces"
done
"$here/guard.py" compare "$work/one.tsv" "$work/two.tsv" || fail "recording is not the same twice"
[[ $(grep -c be_pairs "$work/one.tsv") -gt 10 ]] || fail "lines are missing"
cut -f 7 "$work/one.tsv" | tail -n +2 | grep -v '^-$' && fail "modes differ"

# told NAME COLUMN: another text in this column of a line is told as NAME; column 0: the line is left out.
told() {
  awk -F'\t' -v OFS='\t' -v column="$2" 'NR == 9 && column { $column = "9" } NR != 9 || column' \
    "$work/one.tsv" >"$work/$1.tsv"
  if "$here/guard.py" compare "$work/one.tsv" "$work/$1.tsv" >"$work/said"; then fail "not told: $1"; fi
  grep -q "$1" "$work/said" || fail "told as another thing than $1: $(cat "$work/said")"
}
told status 3
told output 4
told stderr 5
told report 6
told modes 7
told "is gone" 0
