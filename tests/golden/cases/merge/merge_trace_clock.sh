# --trace-clock: the first input that has the clock is the one whose clock the merged trace has, whichever is named
# first; what --clock says counts as having it. Where no input has it, that is what is said.
trace() { # trace NAME BEFORE-THE-EVENTS MICROSECONDS
  printf '{%s"traceEvents": [{"ph": "X", "name": "%s", "pid": 1, "tid": 1, "ts": %s, "dur": 10}]}' \
    "$2" "$1" "$3" >"$1.json"
}
trace early "" 1700000000000000
trace late "" 1700000000000500
trace plain "" 4000
trace wall '"baseTimeNanoseconds": 1700000000000000000, ' 4000
cat >boot.txtpb <<'END'
packet { clock_snapshot {
  clocks { clock_id: 6 timestamp: 100000000 }
  clocks { clock_id: 3 timestamp: 90000000 }
  clocks { clock_id: 1 timestamp: 1700000000004000000 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 100000000 track_descriptor { uuid: 3 process { pid: 7 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 101000000
  track_event { type: TYPE_INSTANT track_uuid: 3 name: "boot" } }
END
merge() { # merge INPUT... OPTION...: what readers find in the merged trace, and when
  echo "- $*"
  rm -f out.pftrace
  tracebridge merge -q "$@" -o out.pftrace 2>&1
  echo "status $?"
  [[ -e out.pftrace ]] || return
  tracebridge verify out.pftrace
  tracebridge convert -q out.pftrace --to json -o - | grep -oE '"name":"(early|late|plain|wall|boot)".*"ts":[0-9.]+'
}
merge early.json late.json --clock early.json=REALTIME --clock late.json=REALTIME --trace-clock realtime
merge early.json plain.json --clock early.json=REALTIME --offset plain.json=1s --trace-clock realtime
merge wall.json plain.json --offset wall.json=1s --offset plain.json=2s --trace-clock realtime
merge wall.json boot.txtpb --trace-clock boottime
merge boot.txtpb wall.json --trace-clock boottime
merge plain.json boot.txtpb --clock plain.json=MONOTONIC --trace-clock boottime
merge plain.json early.json --trace-clock realtime
merge plain.json early.json --trace-clock realtime --unplaced start
barriers() { # barriers BEFORE-THE-EVENTS SHIFT
  printf '{%s"traceEvents": [' "$1"
  local at
  for at in 1000 5000 6000 13000 14500 16200; do
    printf '{"ph": "i", "name": "bar", "pid": 1, "tid": 1, "ts": %d},' $((at + $2))
  done
  printf '{"ph": "i", "name": "end", "pid": 1, "tid": 1, "ts": 20000}]}'
}
barriers "" 300 >none.json
barriers '"baseTimeNanoseconds": 1700000000000000000, ' 0 >dated.json
for inputs in "none.json dated.json" "dated.json none.json"; do
  # shellcheck disable=SC2086 # two names
  tracebridge merge -q $inputs --align-on bar --trace-clock realtime --dry-run --report - |
    grep -E '^(none|dated)|offset'
done
