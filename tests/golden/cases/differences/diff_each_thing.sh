# One thing differs in each pair, and its row says what; behind a conversion into each format nothing does.
compare() { # WHAT A B
  echo "== $1"
  tracebridge diff "$2" "$3" >difference
  echo "status $?"
  sed -n '/^$/,$p' difference | grep '^[-+] '
}
json() { # NAME EVENTS [MORE]: an open array of events and what follows it
  printf '{"traceEvents":[\n%s\n]%s}\n' "$2" "${3:-}" >"$1"
}
change() { # WHAT FROM TO: of base.json
  sed "s/$2/$3/" base.json >changed.json
  compare "$1" base.json changed.json
}
json base.json '{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"shop"}},
{"ph":"b","name":"load","cat":"c","id":1,"ts":0,"pid":1,"tid":1},
{"ph":"b","name":"load","cat":"c","id":2,"ts":5,"pid":1,"tid":1},
{"ph":"e","name":"load","cat":"c","id":1,"ts":10,"pid":1,"tid":1},
{"ph":"e","name":"load","cat":"c","id":2,"ts":20,"pid":1,"tid":1},
{"ph":"X","name":"outer","cat":"c","ts":1,"dur":9,"pid":1,"tid":1,"args":{"a":1,"yes":true,"none":null}},
{"ph":"X","name":"inner","cat":"c","ts":1,"dur":5,"pid":1,"tid":1,"tts":3,"tdur":2,"sf":2,"args":{"a":2}},
{"ph":"s","name":"go","cat":"f","id":1,"ts":5.5,"pid":1,"tid":1},
{"ph":"X","name":"later","cat":"c","ts":20,"dur":5,"pid":1,"tid":1},
{"ph":"X","name":"to","cat":"c","ts":40,"dur":5,"pid":1,"tid":2},
{"ph":"f","bp":"e","name":"go","cat":"f","id":1,"ts":41,"pid":1,"tid":2},
{"ph":"N","name":"node","cat":"o","id":"0x1","ts":1,"pid":1,"tid":1},
{"ph":"O","name":"node","cat":"o","id":"0x1","ts":5,"pid":1,"tid":1,"args":{"snapshot":{"v":1}}},
{"ph":"D","name":"node","cat":"o","id":"0x1","ts":9,"pid":1,"tid":1}' ',
"stackFrames":{"1":{"name":"main"},"2":{"name":"draw","parent":1},"3":{"name":"sleep"}},
"samples":[{"cpu":0,"tid":1,"ts":2,"name":"cycles","sf":2,"weight":7}]'
for to in json pftrace fxt; do
  tracebridge convert -q base.json -o "again.$to"
  compare "behind $to" base.json "again.$to"
done
sed -e '/"ph":"e".*"id":1/s/"ts":10/"ts":20/' -e '/"ph":"e".*"id":2/s/"ts":20/"ts":10/' base.json >swapped.json
compare "the ends of two async slices" base.json swapped.json
sed -e 's/"a":2/"a":3/' -e 's/"a":1/"a":2/' -e 's/"a":3/"a":1/' base.json >swapped.json
compare "the arguments of two slices that begin at one time" base.json swapped.json
change "where a flow comes from" '"ts":5.5' '"ts":21'
change "a slice's category" '"later","cat":"c"' '"later","cat":"d"'
change "a slice's stack" '"sf":2,"args"' '"sf":3,"args"'
change "a slice's thread time" '"tdur":2' '"tdur":1'
change "a frame's name" '"draw"' '"paint"'
change "a sample's stack" '"sf":2,"weight"' '"sf":3,"weight"'
change "a sample's weight" '"weight":7' '"weight":9'
change "a sample's CPU" '"cpu":0' '"cpu":3'
change "what a snapshot says" '"v":1' '"v":2'
change "a process' labels" 'shop' 'game'
change "a number and its text" '"a":1' '"a":"1"'
change "a bool and its text" '"yes":true' '"yes":"true"'
change "null and its text" '"none":null' '"none":"null"'
switched() { # CPU PRIORITY
  printf '# tracer: nop\n#\n%s\n' "  aaa-10 (  10) [$1] d..3 10.000000: sched_switch: prev_comm=aaa prev_pid=10\
 prev_prio=$2\
 prev_state=S ==> next_comm=bbb next_pid=20 next_prio=1"
}
switched 000 1 >first.systrace
switched 003 1 >cpu.systrace
switched 000 9 >priority.systrace
compare "the CPU of a switch" first.systrace cpu.systrace
compare "a thread's priority" first.systrace priority.systrace
echo 'packet { timestamp: 5 trusted_packet_sequence_id: 1 perf_sample { cpu: 1 pid: 5 tid: 5 timebase_count: 5 } }' \
  >first.textproto
for field in 'cpu: 1' 'timebase_count: 5'; do
  sed "s/${field}/${field%?}6/" first.textproto >other.textproto
  compare "perf's $field" first.textproto other.textproto
done
# what was lost is in the JSON too
head -c 660 base.json >cut.json
tracebridge diff -q --json cut.json cut.json | python3 -c '
import json, sys
found = json.load(sys.stdin)
print(found["equal"], found["partial"], [[loss["code"] for loss in losses] for losses in found["losses"]])
print(len(found["not_compared"]) > 0)'
tracebridge diff -q cut.json cut.json | sed -n 3p
