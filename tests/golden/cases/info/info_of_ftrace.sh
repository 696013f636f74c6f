# What the kernel's trace file says of processes: a thread learns which is its own behind its last event, and a process
# without a name has that of its main thread. The mark of systrace that has the time 0 is no event of that time.
change() { # from one thread of a process to another: NAME TID PROCESS SECONDS NAME TID
  echo "$1-$2 ( $3) [000] d..2. $4: sched_switch: prev_comm=$1 prev_pid=$2 prev_prio=120 prev_state=S" \
    "==> next_comm=$5 next_pid=$6 next_prio=120"
}
{
  echo "# tracer: nop"
  change sh 200 200 10.000001 worker 101
  change worker 101 100 10.000301 server 100
  change server 100 100 10.000501 swapper/0 0
  echo "dummy-0000 [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0"
} >main.ftrace
tracebridge info main.ftrace
tracebridge convert -q main.ftrace -o main.perfetto-trace &&
  tracebridge info main.perfetto-trace | grep -A5 '^tracks\|^processes'
echo "# tracer: nop" >many.ftrace
for i in {0..79}; do
  a=$((100 + i % 40)) b=$((100 + (i + 1) % 40))
  change "t$a" $a $a "10.0000$((10 + i))" "t$b" $b
done >>many.ftrace
tracebridge info many.ftrace | grep '^tracks'
