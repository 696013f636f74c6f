# What has nothing of the format in it is not read for ever: so much before the first event, and no more.
zeros() { head -c "$1" /dev/zero; }
spaces() { head -c "$1" /dev/zero | tr '\0' ' '; }
event='{"ph":"i","name":"a","pid":1,"tid":1,"ts":1}'
echo old >out
try() { # WHAT COMMAND...: its exit status, and what it says first
  local what=$1
  shift
  timeout 50 "$@" >stdout 2>stderr
  echo "$what: $? $(sed -n '/lost/d; s/^tracebridge: [^:]*: //p' stderr | head -n 1)"
}
refuse() { # WHAT OPTION...: the same of a conversion that is not to be
  local what=$1
  shift
  try "$what" tracebridge convert -q "$@" -o out --to perfetto
  [[ $(<out) == old ]] || echo "$what: the output was replaced"
}

# endless ones; 64 MiB where nothing is said
refuse "zeros" /dev/zero --from json
refuse "spaces in an array" <(printf '['; yes '') --from json
refuse "zeros in traceEvents" <(printf '{"displayTimeUnit":"ns","traceEvents":['
  cat /dev/zero) --from json --max-junk 1M
refuse "zeros in traceEvents, one thread" <(printf '{"displayTimeUnit":"ns","traceEvents":['
  cat /dev/zero) --from json --max-junk 1M -j1
refuse "garbage" <(yes garbage) --from json --max-junk 1M
refuse "zeros" /dev/zero --from perfetto --max-junk 1M
refuse "one thread" /dev/zero --from perfetto --max-junk 1M -j1
refuse "a length" <(printf '\n\377\377\377\377\377\377\001'; cat /dev/zero) --from perfetto --max-junk 1M
refuse "text" <(yes) --from perfetto --max-junk 1M
refuse "text" <(printf '\020\000\004\106\170\124\026\000'; yes kkkkkkkk) --max-junk 1M
refuse "text" <(yes kkkkkkkk) --from fxt
refuse "zeros" /dev/zero --from ftrace --max-junk 1M
refuse "text" <(yes garbage) --from ftrace --max-junk 1M
try "info" tracebridge info /dev/zero --from json --max-junk 1M
try "info" tracebridge info <(printf '\n\003\120\001\377'; cat /dev/zero) --max-junk 1M
try "dump" tracebridge dump /dev/zero --from json --max-junk 1M
try "dump" tracebridge dump /dev/zero --from perfetto --max-junk 1M
try "dump" tracebridge dump <(printf '\020\000\004\106\170\124\026\000'; yes kkkkkkkk) --max-junk 1M
for file in "$(printf '{"traceEvents":[')" "$(printf '\n\003\120\001\377')"; do
  { printf '%s' "$file"; zeros 3M; } >junk
  echo old >out.pftrace
  try "merge" tracebridge merge -q junk -o out.pftrace --max-junk 1M
  [[ $(<out.pftrace) == old ]] || echo "merge: the output was replaced"
done

for start in '' '{"traceEvents":[' $'\n\003\120\001\377'; do # pipes and devices: not copied without end either
  try "merge" tracebridge merge -q <(printf '%s' "$start"; cat /dev/zero) -o out.pftrace --max-junk 1M
  [[ $(<out.pftrace) == old ]] || echo "merge: the output was replaced"
done
try "merge" tracebridge merge -q /dev/zero -o out.pftrace

# what is long, but of the format; what comes behind an event; what --max-junk lets pass
take() { # OPTION...: of standard input
  tracebridge convert - -o out.json "$@" 2>&1 | grep -E "in reading|^tracebridge" | cut -c 1-150
  echo "$(tracebridge info out.json | grep -c '^events     1,') event"
  rm -f out.json
}
{ printf '{"metadata":{"a":["'; spaces 3M; printf '"],"b":[1'; head -c 2M /dev/zero | tr '\0' 1
printf ']},"traceEvents":[%s]}' "$event"; } | take --max-junk 1M
{ printf '{"metadata":{'; yes '"key":[1,2,{"a":null}],' | head -c 4800000
printf '"":0},"traceEvents":[%s]}' "$event"; } | take --max-junk 1M
{ printf '{'; for i in {1..9}; do printf '"%s":"' "$i"; spaces 600K; printf '",'; spaces 600K; done
printf '"traceEvents":[%s]}' "$event"; } | take --max-junk 1M
{ printf '[%s' "$event"; spaces 3M; zeros 3M; } | take --max-junk 1M
{ zeros 3M; printf '[%s]' "$event"; } | take --from json --max-junk 4M
{ spaces 3M; printf '[%s]' "$event"; } | take --from json
tracebridge convert -q - -o out.pftrace --to perfetto <<<"[$event]"
{ cat out.pftrace; zeros 3M; cat out.pftrace; } >twice.pftrace
tracebridge convert -q twice.pftrace -o out.json --max-junk 1M; echo "$?"
tracebridge merge -q twice.pftrace -o merged.pftrace --max-junk 1M; echo "$?"
tracebridge convert -q out.pftrace -o out.json --max-junk 0; echo "$?"
