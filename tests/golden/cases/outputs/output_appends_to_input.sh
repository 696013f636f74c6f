# What goes to standard output is never appended to the input.
trace='[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1}]'
try() { # COMMAND...: its output goes behind its input
  echo "$trace" >a.json
  "$@" <a.json >>b.json # a link to it
  echo "$*: $?"
  [[ $(<a.json) == "$trace" ]] || echo "the input was changed"
}
ln -s a.json b.json
try tracebridge dump a.json
try tracebridge dump --events b.json
try tracebridge info -
try tracebridge info --json a.json
try tracebridge convert -q a.json --to fxt
try tracebridge convert -q a.json -o out.pftrace --report -
try tracebridge merge -q a.json
try tracebridge merge -q a.json --dry-run
try tracebridge merge -q a.json -o out.pftrace --report -
tracebridge dump - <a.json | head -c 1
tracebridge dump a.json >/dev/null && echo dumped
