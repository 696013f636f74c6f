# A trace without an event becomes one in any format, which can be read again: nothing is lost in it, and no file is
# empty.
mkdir in out
printf '[]' >in/array.json
printf '[' >in/open.json # of a recorder that was stopped before its first event
printf '{"traceEvents":[]}' >in/object.json
printf '{"traceEvents":[],"displayTimeUnit":"ns"}' >in/unit.json
printf '[{"ph":"M","name":"process_name","pid":1,"args":{"name":"one"}}]' >in/named.json
printf '\020\000\004\106\170\124\026\000' >in/magic.fxt
printf '\n\000' >in/packet.pftrace                                                       # nothing in it
printf '\n\016\062\014\n\004\010\006\020\001\n\004\010\001\020\002' >in/clocks.pftrace        # a clock snapshot
printf '\n\007\312\005\004\010\001\020\002' >in/uuid.pftrace # a trace_uuid, for which FXT has no place
convert() { # INPUT OUTPUT
  rm -f "$2"
  tracebridge convert -q "$1" -o "$2"
  echo "$1 -> $2: $?"
  [[ -s $2 ]] || echo "$2: empty"
  tracebridge info "$2" >/dev/null || echo "info $2: exit status $?"
}
for file in in/*; do
  for to in pftrace json fxt; do convert "$file" "out/$(basename "$file").$to"; done
done
convert in/array.json there.pftrace
convert there.pftrace back.json
cat back.json
tracebridge convert -q --compress in/array.json -o compressed.pftrace &&
  tracebridge info compressed.pftrace >/dev/null && echo compressed
tracebridge merge -q in/array.json -o one.pftrace && tracebridge info one.pftrace >/dev/null && echo one
tracebridge merge -q in/array.json in/object.json -o two.pftrace && tracebridge info two.pftrace >/dev/null && echo two
tracebridge merge -q "$DATA/phases/flows.json" -o alone.pftrace
for first in in/array.json "$DATA/phases/flows.json"; do
  second=in/array.json
  [[ $first == "$second" ]] && second=$DATA/phases/flows.json
  tracebridge merge -q "$first" "$second" -o merged.pftrace && tracebridge info merged.pftrace | grep ^events
done
