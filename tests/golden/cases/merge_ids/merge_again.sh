# Two recordings of one boot are on two machines where both have what belongs to the whole machine, and stay on two:
# where the merged trace is merged again, alone or with a third recording, and where it was split.
host() { # host FILE TIME NAME
  cat >"$1" <<EOF
packet { clock_snapshot {
 clocks { clock_id: 6 timestamp: 1000 } clocks { clock_id: 1 timestamp: 1700000000000001000 } } }
packet { timestamp: 1 process_tree {
 processes { pid: 5 ppid: 1 cmdline: "app" } threads { tid: 5 tgid: 5 name: "main" } } }
packet { ftrace_events { cpu: 0
 event { timestamp: $2 pid: 5 print { buf: "B|5|$3\n" } }
 event { timestamp: $(($2 + 1500)) pid: 5 print { buf: "E|5\n" } } } }
EOF
}
slices() { tracebridge convert -q "$1" -o - --to json | grep -E '"ph":"[BE]"|systemTraceEvents'; }
host a.textproto 2000 a
host b.textproto 3000 b
host c.textproto 900000000 c
tracebridge merge -q a.textproto b.textproto -o two.pftrace
slices two.pftrace
tracebridge merge -q two.pftrace -o again.pftrace
cmp two.pftrace again.pftrace && echo "the same again"
for by in machine process thread; do
  tracebridge split -q --by $by two.pftrace -o parts.$by
  tracebridge merge -q parts.$by/* -o again.pftrace
  slices again.pftrace | diff - <(slices two.pftrace) && echo "the same, split by $by"
done
tracebridge merge -q two.pftrace c.textproto -o three.pftrace
tracebridge merge -q a.textproto b.textproto c.textproto -o at_once.pftrace
slices three.pftrace | diff - <(slices at_once.pftrace) && echo "the same with a third"
slices three.pftrace
