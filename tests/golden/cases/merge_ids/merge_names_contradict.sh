# Two processes of one id and of two names, as of two containers, are on two machines, which is said: each keeps its
# events, counters and tracks, in formats without machines, too. Where the user says that it is one machine, they are
# two processes of it.
trace() { # trace FILE NAME MICROSECONDS
  cat >"$1" <<EOF
[{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "$2"}},
 {"ph": "X", "name": "slice of $2", "pid": 7, "tid": 7, "ts": $3, "dur": 50},
 {"ph": "b", "cat": "c", "id": 1, "name": "request", "pid": 7, "tid": 7, "ts": $3},
 {"ph": "e", "cat": "c", "id": 1, "name": "request", "pid": 7, "tid": 7, "ts": $(($3 + 10))},
 {"ph": "C", "name": "mem", "pid": 7, "ts": $3, "args": {"used": $3}}]
EOF
}
trace server.json server 1000
trace client.json client 1001
trace third.json third 1002
all=(server.json client.json third.json --offset client.json=0 --offset third.json=0)
echo "json"
tracebridge merge -q "${all[@]}" -o all.json
cat all.json
echo "fxt"
tracebridge merge -q "${all[@]}" -o all.fxt 2>/dev/null
tracebridge convert -q all.fxt -o - --to json | grep process_name
echo "perfetto, merged at once and one by one"
tracebridge merge -q "${all[@]}" -o all.pftrace 2>/dev/null
tracebridge merge -q server.json client.json --offset client.json=0 -o two.pftrace 2>/dev/null
tracebridge merge -q two.pftrace third.json --offset third.json=0 -o three.pftrace 2>/dev/null
for file in all three; do # but for ids of async events, which are those of one merge
  tracebridge convert -q $file.pftrace -o $file.back.json
  cmp <(sed 's/"id":"0x[0-9a-f]*"//' all.json) <(sed 's/"id":"0x[0-9a-f]*"//' $file.back.json) && echo "$file: the same"
done
echo "one machine"
same=(--machine server.json=one --machine client.json=one)
tracebridge merge -q server.json client.json "${same[@]}" --offset client.json=0 -o one.pftrace
tracebridge verify one.pftrace
# An id that was given anew on one machine: other processes and a later time say so.
other='{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "init"}},'
sed "s/^\[/[$other/" server.json >earlier.json
sed "s/^\[/[$other/" client.json >later.json
echo "later on one machine"
tracebridge merge -q earlier.json later.json --offset later.json=1s --report - -o one.pftrace | grep -c names_contradict
tracebridge verify one.pftrace
# Two containers of one host, by their clocks of one boot, one after the other.
container() { # container FILE TIME NAME
  local id="trusted_packet_sequence_id: 1"
  cat >"$1" <<EOF
packet { $id clock_snapshot {
 clocks { clock_id: 6 timestamp: 1000 } clocks { clock_id: 1 timestamp: 1700000000000001000 } } }
packet { $id track_descriptor { uuid: 3 process { pid: 1 process_name: "$3" } } }
packet { $id track_descriptor { uuid: 4 parent_uuid: 3 name: "of $3" } }
packet { $id timestamp: $2 track_event { type: TYPE_INSTANT track_uuid: 4 name: "in $3" } }
EOF
}
echo "one boot"
container one.textproto 2000 one
container two.textproto 9000 two
tracebridge merge -q one.textproto two.textproto -o boot.json
grep '"in ' boot.json
