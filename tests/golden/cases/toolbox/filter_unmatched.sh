# What no glob is for is said: of a name whether or not its category is chosen, and by its number.
cat >all.textproto <<'TEXT'
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 1 process { pid: 5 process_name: "app" } } }
packet { trusted_packet_sequence_id: 1
  track_descriptor { uuid: 2 thread { pid: 5 tid: 6 thread_name: "worker" } } }
packet { trusted_packet_sequence_id: 1 track_descriptor { uuid: 3 name: "sum" counter { } } }
packet { timestamp: 10 trusted_packet_sequence_id: 1
  track_event { type: TYPE_INSTANT track_uuid: 2 name: "mark" categories: "cat" } }
packet { timestamp: 20 trusted_packet_sequence_id: 1
  track_event { type: TYPE_INSTANT track_uuid: 2 name: "[1]" categories: "other" } }
packet { timestamp: 30 trusted_packet_sequence_id: 1 ftrace_events { cpu: 0
  event { timestamp: 30 pid: 6 print { buf: "I|5|of atrace\n" } }
  event { timestamp: 31 pid: 6 print { buf: "C|5|also|1\n" } } } }
TEXT
tracebridge filter all.textproto -o part.pftrace --process renderer --process app --process 5 --thread '!nobody' \
  --thread 6 --category c --category other --name mark --name 'of *' --name 'or*' \
  --counter sum --counter also --counter x
tracebridge filter all.textproto -o part.pftrace --json --process 'ap[q]' --name '\[1\]' --name $'\n'
tracebridge filter all.textproto -o part.pftrace --category '' --name '[]*' || echo "status $?"
tracebridge filter all.textproto -o part.pftrace --name '[[:alpha:]]*' --name '\[[]]x' --name 'a[!]' || echo "status $?"
tracebridge filter -q all.textproto -o part.pftrace --name '[!]m]*' --name none --category ''
# A counter of JSON goes by the name that its events have, and by those of its series.
echo '[{"ph":"C","pid":1,"ts":1,"name":"mem use","args":{"rss":1,"heap":2}},{"ph":"C","pid":1,"ts":2,"name":"load","args":{"":3}}]' >c.json
for glob in 'mem use' '!mem use' 'mem use rss' 'load' 'mem'; do
  tracebridge filter -q c.json -o - --to json --counter "$glob"
done
tracebridge convert -q c.json -o c.fxt
tracebridge filter -q c.fxt -o - --to json --counter 'mem use'
