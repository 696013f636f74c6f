# Async events of two inputs that have one id, a number or a text, stay apart in formats that know their tracks by it;
# ids of counters, which are a part of their names, and --share-flows leave ids as they are.
events() {
  printf '[{"ph":"b","cat":"c","id":1,"name":"r","ts":%d,"pid":%d,"tid":1},' "$1" "$2"
  printf '{"ph":"e","cat":"c","id":1,"name":"r","ts":%d,"pid":%d,"tid":1},' $(($1 + 5)) "$2"
  printf '{"ph":"C","id":7,"name":"n","ts":%d,"pid":%d,"tid":1,"args":{"v":1}}]' "$1" "$2"
}
events 1 1 >a.json
events 3 2 >b.json
for suffix in json fxt pftrace; do
  tracebridge merge -q a.json b.json -o m.$suffix --offset b.json=0ns
  echo "$suffix: $(tracebridge convert -q m.$suffix -o - --to json | grep -c '"ph":"[be]".*"id":"0x1"}'), of counters \
$(tracebridge convert -q m.$suffix -o - --to json | grep -c '"ph":"C".*"id":"\{0,1\}7')"
done
tracebridge merge -q a.json b.json -o shared.json --offset b.json=0ns --share-flows
grep -c '"id":"0x1"' shared.json
for i in a b; do sed 's/"id":1/"id":"0xabc\/foo"/g' $i.json >text_$i.json; done
tracebridge merge -q text_a.json text_b.json -o text.json --offset text_b.json=0ns
grep '"ph":"[be]"' text.json
tracebridge merge -q text_a.json text_b.json -o text.json --offset text_b.json=0ns --share-flows
grep -c '"ph":"[be]".*0xabc/foo' text.json
