#!/bin/bash
# run.sh NAME PROGRAM TRACES SERVE_FILE: runs an example on real files, pipes and a socket, and checks what it prints.
set -euo pipefail
name=$1 program=$2 traces=$3 serve_file=$4
phases=$(cd "$(dirname "$0")/../.." && pwd)/tests/data/phases
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
    "$program" "$work/copy.perfetto-trace" "$work/again.perfetto-trace" # has the state of ours, a packet of its own
    "$program" "$work/again.perfetto-trace" "$work/third.perfetto-trace"
    cmp "$work/again.perfetto-trace" "$work/third.perfetto-trace"
    "$program" "$traces/ftrace.perfetto-trace" "$work/copy.json" 2> "$work/out"
    expect
    grep -o sched_switch: "$work/copy.json" | sort | uniq -c | tr -s ' ' > "$work/out"
    expect " 7 sched_switch:"
    ! "$program" "$traces/nothing" "$work/none" 2> /dev/null
    ;;
  self_time)
    "$program" "$traces/lanes.perfetto-trace" > "$work/out"
    expect $'inner\t1\t200\t200' $'outer\t1\t800\t600' $'later\t1\t100\t100'
    ! "$program" "$traces/nothing" 2> /dev/null
    ;;
  counters)
    "$program" "$phases/counters.json" > "$work/out"
    expect $'memory used\t2\t100\t150\t125\t250' $'memory free\t2\t850\t900\t875\t1750' \
      $'load id: cpu0 value\t1\t0.25\t0.25\t0.25\t0.25' $'load id: cpu1 value\t1\t0.001\t0.001\t0.001\t0.001' \
      $'big value\t2\t-9.2233720368547758e+18\t9007199254740992\t-4.6071824188000174e+18\t-9.2143648376000348e+18' \
      $'text value\t1\t17\t17\t17\t17' $'memory used\t1\t1\t1\t1\t1'
    ;;
  running)
    "$program" "$traces/ftrace.perfetto-trace" > "$work/out"
    expect $'31\tworker\t1\t40096' $'41\tbinder\t1\t10000' $'50\tother\t1\t1000' $'0\tswapper/1\t1\t11500'
    ;;
  kernel_events)
    "$program" "$traces/kernel_events.perfetto-trace" > "$work/out"
    expect $'1100\t1\t31\ttask_newtask\tpid=32\tcomm=maker\tclone_flags=4001536\toom_score_adj=5' \
      $'1400\t1\t32\ttask_rename\tpid=32\toldcomm=maker\tnewcomm=made\toom_score_adj=5' \
      $'1500\t1\t32\tsched_blocked_reason\tpid=31\tcaller=folio_wait_bit\tio_wait=1' \
      $'1600\t1\t32\tsched_process_exit\tcomm=made\tpid=32\ttgid=30\tprio=120' \
      $'1800\t1\t31\tsched_process_free\tcomm=made\tpid=32\tprio=120'
    ! "$program" "$traces/nothing" 2> /dev/null
    ;;
  flow_edges)
    "$program" "$phases/flows.json" > "$work/all"
    head -n 3 "$work/all" > "$work/out"
    expect $'sender\trelay\t8000' $'sender\trelay\t9000' $'relay\tnext slice after the flow\'s end\t12000'
    ;;
  instrument)
    "$program" "$work/own.perfetto-trace"
    for question in self_time counters flow_edges; do
      "$(dirname "$program")/example_$question" "$work/own.perfetto-trace" | cut -f 1-2
    done > "$work/out"
    expect $'submit\t3' $'half\t3' $'work\t3' $'queue\t3' $'submit\twork' $'submit\twork' $'submit\twork'
    ! "$program" "$work/none/own.perfetto-trace" 2> /dev/null
    ;;
  trim)
    "$program" "$traces/lanes.perfetto-trace" "$work/part.json" 0 300
    sed -n '/"ph":"X"/p' "$work/part.json" > "$work/out"
    expect '{"name":"inner","ph":"X","ts":0.1,"dur":0.2,"pid":5,"tid":6}'
    "$program" "$phases/flows.json" "$work/part.json" 0 1000000 none
    ! grep '"ph":"[XBEi]"' "$work/part.json" || exit 1
    ;;
  folded)
    "$program" "$traces/stack_sample.perfetto-trace" > "$work/out"
    expect "main;foo 3" "foo 1"
    ;;
  many)
    "$program" "$traces/lanes.perfetto-trace" "$traces/lanes.perfetto-trace" | cut -f 2 > "$work/out"
    expect 8 8
    ! "$program" "$traces/lanes.perfetto-trace" "$traces/nothing" > /dev/null
    ;;
  allocator)
    "$program" "$traces/lanes.perfetto-trace" 100000000 > "$work/out"
    expect "8 events" "read to its end" "all memory is given back"
    ! "$program" "$traces/lanes.perfetto-trace" 1000 > "$work/out"
    expect "needs more memory: out of memory" "all memory is given back"
    head -c -5 "$traces/lanes.perfetto-trace" > "$work/cut.perfetto-trace"
    "$program" "$work/cut.perfetto-trace" 100000000 > "$work/out"
    grep -q '^lost 1, first at byte ' "$work/out"
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
