#!/bin/bash
# run_case.sh TRACEBRIDGE CASE.sh: runs the case in an empty directory and compares, byte for byte, its standard output
# with CASE.stdout, its standard error with CASE.stderr (a missing file stands for nothing) and its exit status with the
# case's line `# exit N`. A line `# takes long` keeps a case for ./test.sh all. Cases find the program in PATH, programs
# of the tests in $HELPERS, what cases share in $GOLDEN and the test data in $DATA; they end with status 77 where the
# machine cannot do what they test. GOLDEN_UPDATE=1 writes the files anew instead. The time limit is for what hangs: no
# case nears it, even with sanitizers on a slow machine.
set -u
program=$(realpath "$1")
case=$(realpath "$2")
stem=${case%.sh}
DATA=$(realpath "$(dirname "$0")/../data")
HELPERS=$(dirname "$program")/tests/support
GOLDEN=$(realpath "$(dirname "$0")")
export DATA HELPERS GOLDEN LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/in"
ln -s "$program" "$work/bin/tracebridge"
(cd "$work/in" && PATH="$work/bin:$PATH" timeout 300 bash "$case") >"$work/stdout" 2>"$work/stderr" </dev/null
got=$?
[[ $got == 77 ]] && exit 77
expected=$(sed -n 's/^# exit //p' "$case")
good=0
for stream in stdout stderr; do
  sed -i "s|$DATA|DATA|g" "$work/$stream"
  if [[ ${GOLDEN_UPDATE:-} ]]; then
    if [[ -s $work/$stream ]]; then cp "$work/$stream" "$stem.$stream"; else rm -f "$stem.$stream"; fi
  fi
  golden=$stem.$stream
  [[ -e $golden ]] || golden=/dev/null
  diff -u --label "expected $stream" --label "actual $stream" "$golden" "$work/$stream" || good=1
done
if [[ $got != "${expected:-0}" ]]; then
  echo "exit status $got, expected ${expected:-0}"
  good=1
fi
exit $good
