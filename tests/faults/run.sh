#!/bin/bash
# run.sh TRACEBRIDGE LIBFAIL_MALLOC TRACES POINTS: runs the program with one malloc after the other failing, alone and
# with all that follow: the last and at most POINTS others of the calls of each case, spread evenly. The program must
# not crash; where it cannot go on, it exits with 3, says why and what to do, and leaves no trace; else all is as it
# would be with memory. TRACES is where the build puts the traces that it makes of texts. FAULTS=TEXT: all calls of the
# cases with TEXT in them.
set -u
program=$(realpath "$1")
shim=$(realpath "$2")
traces=$(realpath "$3")
points=$4
[[ -z ${FAULTS+set} ]] || points=1000000
DATA=$(realpath "$(dirname "$0")/../data")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/in" "$work/out" "$work/tmp" "$work/whole"
export LC_ALL=C TMPDIR=$work/tmp
cp "$DATA"/phases/{args,flows}.json "$DATA/ftrace/small.ftrace" "$traces"/{records,events}.perfetto-trace \
  "$traces"/fxt/{events,carried}.fxt "$work/in"
gzip -k "$work/in/flows.json"
echo '{"perfetto_manifest": {"version": 1, "files": [{"path": "args.json", "machine": {"name": "one"}}]}}' \
  >"$work/in/manifest.json"
tar -C "$work/in" -cf "$work/in/traces.tar" args.json events.fxt events.perfetto-trace
bad=0

run() { # AT TIMES ARGUMENTS...: leaves stdout, stderr and files in out/, returns the status
  local at=$1 times=$2
  shift 2
  (cd "$work/in" && timeout 30 env LD_PRELOAD="$shim" FAIL_MALLOC_AT="$at" FAIL_MALLOC_TIMES="$times" \
    FAIL_MALLOC_COUNT="$work/count" "$program" "$@" >"$work/stdout" 2>"$work/stderr") </dev/null
}

complain() { # WHAT
  echo "$name, call $at, $times times: $1 (exit $status): $(head -c 300 "$work/stderr")"
  bad=1
}

same_as_whole() {
  cmp -s "$work/stdout" "$work/whole_stdout" && cmp -s "$work/stderr" "$work/whole_stderr" &&
    diff -rq "$work/out" "$work/whole" >/dev/null
}

# libarchive ends the process where it gets no memory for a name, and the loader of libraries where it gets none to say
# what it lacks.
ended_by_others() {
  [[ $status == 1 ]] && grep -q "^Fatal Internal Error in libarchive" "$work/stderr" && return
  [[ $status == 127 && $(<"$work/stderr") == "out of memory" ]]
}

check() {
  ended_by_others || check_own
  rm -rf "${work:?}"/out/* "$work"/tmp/*
}

check_own() {
  [[ -z $(ls -A "$work/tmp") ]] || complain "a temporary file is left"
  if [[ $status == 3 ]]; then
    [[ -s $work/stderr ]] || complain "says nothing"
    grep -q "; -j 1 takes less, and so\|; leave it more: close other programs" "$work/stderr" ||
      complain "does not say what to do"
    [[ -z $(find "$work/out" -name 'trace*') ]] || grep -q "cannot write the report" "$work/stderr" ||
      complain "an output is left"
  elif [[ $status != "$whole_status" ]]; then
    complain "exits neither with 3 nor as it should"
  elif ! same_as_whole; then
    complain "says or writes something else"
  fi
}

case_of() { # ARGUMENTS...
  local count step
  name="$*"
  name=${name//"$work"\//}
  [[ $name == *"${FAULTS:-}"* ]] || return 0
  at=0 times=0
  run 0 0 "$@"
  status=$? whole_status=$status
  count=$(cat "$work/count")
  if [[ ! $count -gt 0 ]]; then
    complain "its calls are not counted"
    return
  fi
  rm -rf "$work/whole"
  cp -r "$work/out" "$work/whole"
  cp "$work/stdout" "$work/whole_stdout"
  cp "$work/stderr" "$work/whole_stderr"
  rm -rf "${work:?}"/out/*
  [[ $status == 0 || $status == 4 ]] || complain "cannot be run at all"
  step=$(((count + points - 1) / points))
  for at in $({ seq 1 "$step" "$count"; echo "$count"; } | uniq); do
    for times in 1 1000000; do
      run "$at" "$times" "$@"
      status=$?
      check
    done
  done
  echo "$name: $count calls, each ${step}th"
}

out=$work/out
case_of convert args.json -o "$out/trace.pftrace" -q -j1
case_of convert flows.json.gz -o "$out/trace.pftrace" -j2 --report "$out/report.txt"
case_of convert flows.json -o "$out/trace.fxt" -q -j1
case_of convert events.fxt -o "$out/trace.json.gz" -q -j1
case_of convert events.fxt -o "$out/trace.json.zst" -q -j1
case_of convert carried.fxt -o "$out/trace.pftrace" -q -j1
case_of convert records.perfetto-trace -o "$out/trace.json" -q -j1
case_of convert records.perfetto-trace -o "$out/trace.fxt" -q -j1
case_of convert small.ftrace -o "$out/trace.pftrace" -q -j1 --compress
case_of merge args.json events.fxt events.perfetto-trace -o "$out/trace.pftrace" -q -j1 --unplaced start
case_of merge args.json flows.json.gz events.perfetto-trace -o "$out/trace.pftrace" -q -j2 --unplaced start \
  --report "$out/report.json"
case_of merge traces.tar -o "$out/trace.pftrace" -q -j1 --unplaced start
case_of merge args.json events.perfetto-trace --manifest manifest.json -o "$out/trace.pftrace" -q -j1 --unplaced start \
  --dry-run
case_of info events.perfetto-trace -q
case_of info --json events.fxt -q
case_of dump flows.json.gz
case_of dump events.fxt
case_of dump --resolve events.perfetto-trace
exit $bad
