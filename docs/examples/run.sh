#!/bin/bash
# run.sh NAME PROGRAM TRACES SERVE_FILE: runs an example on real files, pipes and a socket, and checks what it prints.
set -euo pipefail
name=$1 program=$2 traces=$3 serve_file=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expect() { diff <((($# == 0)) || printf '%s\n' "$@") "$work/out" || exit 1; }

case $name in
  pull)
    "$program" "$traces/lanes.perfetto-trace" > "$work/out"
    expect "5/6 worker: 900 ns"
    ! "$program" "$traces/nothing" 2> /dev/null
    ;;
  copy)
    "$program" "$traces/lanes.perfetto-trace" "$work/copy.perfetto-trace" 2> "$work/out"
    expect
    "$program" "$work/copy.perfetto-trace" "$work/again.perfetto-trace"
    cmp "$work/copy.perfetto-trace" "$work/again.perfetto-trace"
    ! "$program" "$traces/nothing" "$work/none" 2> /dev/null
    ;;
  numbers)
    "$program" "$traces/lanes.perfetto-trace" > "$work/out"
    expect $'slice\tinner\t1\t200\t200' $'slice\touter\t1\t800\t600' $'slice\tlater\t1\t100\t100' $'flows\t0'
    ! "$program" "$traces/nothing" 2> /dev/null
    ;;
  feed)
    "$program" < "$traces/lanes.perfetto-trace" > "$work/out"
    expect outer inner later
    { head -c 100 "$traces/lanes.perfetto-trace"; sleep 0.1; tail -c +101 "$traces/lanes.perfetto-trace"; } |
      "$program" > "$work/out"
    expect outer inner later
    gzip -c "$traces/lanes.perfetto-trace" | "$program" > "$work/out"
    expect outer inner later
    mkfifo "$work/port"
    "$serve_file" "$traces/lanes.perfetto-trace" > "$work/port" &
    read -r port < "$work/port"
    "$program" 127.0.0.1 "$port" > "$work/out"
    wait $!
    expect outer inner later
    ! "$program" 127.0.0.1 "$port" 2> /dev/null # nobody listens there any more
    rc=0
    head -c -5 "$traces/lanes.perfetto-trace" | "$program" > "$work/out" 2> /dev/null || rc=$?
    [[ $rc -eq 4 ]]
    expect outer inner later
    ;;
  packets)
    "$program" "$traces/lanes.perfetto-trace" 2 "$work/copy.perfetto-trace" > "$work/out"
    expect "at 900 ns: type 1" "at 1000 ns: type 2" "6 track_event" "2 track_descriptor"
    "$program" "$work/copy.perfetto-trace" 2 "$work/again.perfetto-trace" > "$work/out"
    expect "at 900 ns: type 1" "at 1000 ns: type 2" "2 track_event"
    cmp "$work/copy.perfetto-trace" "$work/again.perfetto-trace"
    ;;
esac
