# What is on the command line may come of a wildcard in a strange directory: names of files, of commands and of options,
# and values are shown escaped, so that $'...' of bash names them.
# exit 2
name=$'n\e[31m\e]0;title\a\nFORGED \xe2\x80\xaegnp.\xc2\x9b1m\x9b2m\xe2\x80\xa8\\'
trace='[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}'
printf '%s]' "$trace" >"$name.json"
printf '%s, 7]' "$trace" >"$name.damaged"
mkdir "$name.fxt"
tracebridge convert "$name.json" -o "$name.perfetto-trace"
tracebridge convert "$name.json" -o "$name.perfetto-trace" --report -
tracebridge convert "$name.json" -o "$name.perfetto-trace" --report report.json -q
tracebridge convert "$name.damaged" -o "$name.perfetto-trace" 2>&1 | grep damaged >&2
tracebridge convert "$name.damaged" -o "$name.perfetto-trace" --strict --report -
tracebridge convert "$name.damaged" -o "$name.perfetto-trace" --strict --report failed.json
grep file report.json failed.json
tracebridge convert "$name.json" -o "$name.json"
tracebridge convert "$name.json" -o "$name.fxt"
tracebridge convert "$name.json" -o "no/$name.fxt"
tracebridge convert "$name.json" -o out.json -q --report "no/$name"
tracebridge convert "$name.json" -o "$name"
tracebridge info "missing $name"
tracebridge dump "missing $name"
tracebridge merge "missing $name" -o out.perfetto-trace
tracebridge merge "$name.json" -o out.perfetto-trace --offset "$name.json=$name"
tracebridge merge "$name.json" -o out.perfetto-trace --offset "$name=1"
tracebridge convert "$name.json" "--$name"
tracebridge convert "$name.json" --to "$name"
tracebridge convert "$name.json" $'-\x9b'
tracebridge help "$name"
tracebridge "$name"
echo "-- the name that was shown is the file's"
shown=$(tracebridge info "missing $name" 2>&1) shown=${shown#tracebridge: missing } shown=${shown%: cannot open*}
eval "ls $'$shown.json'" >/dev/null && echo it is
tracebridge "$name" 2>/dev/null
