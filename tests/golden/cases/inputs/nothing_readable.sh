# An input in which nothing can be read makes no trace, and leaves the one that is there.
# exit 1
printf '[%s' "$(yes '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur' | head -n 10)" >torn.json
printf '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}\n' >event.json
printf 'packet { timestamp: 1 }\n' >packet.textproto
printf '\n\005\101\101\101\101\101' >damaged.pftrace
printf '\020\000\004\106\170\124\026\000%s' damaged. >damaged.fxt
{ head -c 8 damaged.fxt; printf '\022\000\001\000\000\000\000\000%s' cut; } >string.fxt # a record is whole: a trace
{ printf '1\n'; head -c 1400 /dev/zero | tr '\0' a; } >number.txt                           # as FXT, ticks per second
echo old >old
try() { # OPTION... INPUT
  for to in perfetto json fxt; do
    cp old out
    tracebridge convert "$@" -o out --to "$to" 2>"$to.err"
    echo "convert $*: $?"
    cmp old out
    cmp perfetto.err "$to.err"
  done
  cat perfetto.err >&2
}
try torn.json
try event.json --from perfetto
try event.json --from fxt
try event.json --from ftrace
try packet.textproto --from perfetto
try packet.textproto --from fxt
try number.txt --from fxt
try packet.textproto --from ftrace
try packet.textproto --from json
nothing() { # NAME TEXT: JSON without an array or object
  printf '%s' "$2" >"$1.json"
  try "$1.json" --from json
  tracebridge info "$1.json" --from json 2>&1; echo "info: $?"
  tracebridge dump "$1.json" --from json 2>&1; echo "dump: $?"
}
nothing blank $' \n\t '
nothing comma ','
nothing brace '}'
nothing bracket ']'
nothing mark $'\357\273\277'
nothing empty ''
printf 'p\n' >chance.txt # as protobuf, field 14 of a Trace
try chance.txt --from perfetto
for input in chance.txt empty.json; do
  tracebridge info "$input" --from perfetto 2>&1; echo "info: $?"
  tracebridge dump "$input" --from perfetto 2>&1; echo "dump: $?"
  tracebridge dump --events "$input" --from perfetto 2>&1; echo "dump --events: $?"
done
try damaged.pftrace
try damaged.fxt
tracebridge convert -q string.fxt -o string.pftrace; echo "convert string.fxt: $?"
for input in torn.json damaged.pftrace damaged.fxt; do
  tracebridge info "$input"; echo "info: $?"
  tracebridge dump "$input"; echo "dump: $?"
  cp old out.pftrace
  tracebridge merge "$input" -o out.pftrace; echo "merge: $?"
  cmp old out.pftrace
  tracebridge merge -q event.json "$input" -o out.pftrace; echo "merge of two: $?"
  cmp old out.pftrace
  tracebridge merge -q event.json "$input" -o out.pftrace --skip-bad; echo "with --skip-bad: $?"
done
: >empty.pftrace
cp old out.pftrace
tracebridge merge empty.pftrace -o out.pftrace
status=$?
cmp old out.pftrace
exit $status
