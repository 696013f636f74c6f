# A hole in a file, as a disk or a crash leaves it, is no text: the two events whose halves it joins are one loss, and
# those behind are found again, whatever filled it and wherever it began. What fills a field of fixed length stays, and
# so does text of another encoding.
# takes long
fill() { head -c "$2" /dev/zero | tr '\0' "$1"; }
event() { printf '{"pid":1,"tid":1,"ts":%d,"dur":1,"ph":"X","cat":"c","name":"%s","args":{"at":"%s"}}' "$1" "$2" "$2"; }
holed() { # begins in `$1` of the second event, ends in `$2` of the third: bytes $3, so many: $4
  second=$(event 2 b) third=$(event 3 c)
  printf '[%s,\n%s' "$(event 1 a)" "${second%%"$1"*}$1"
  fill "$3" "$4"
  printf '%s,\n%s]' "$2${third#*"$2"}" "$(event 4 d)"
}
for bytes in '\000' '\377'; do
  for from in '"pi' '"name":"' '"ar' '"at":"' '"c",' '"ts":'; do
    for to in 'id":' 'c","args"' 's":{' 'at"' '"ts"' ',"dur"'; do
      holed "$from" "$to" "$bytes" 40 >holed.json
      tracebridge dump holed.json >stdout 2>stderr
      echo "$? $(sed 's/.* name=//; s/ .*//' stdout | tr '\n' ' ') $(cat stderr)"
    done
  done
done | sort | uniq -c
echo "bytes that are neither text nor quotes, from one name to the next"
{
  printf '[%s,{"pid":1,"tid":1,"ts":2,"dur":1,"ph":"X","name":"b' "$(event 1 a)"
  for _ in 1 2 3 4 5 6 7 8 9; do printf '\001\351\006k\240\220z'; done
  printf 'c","args":{}},%s]' "$(event 4 d)"
} >binary.json
tracebridge dump binary.json; echo $?
echo "fields of fixed length, and another encoding"
{
  printf '[{"pid":1,"tid":1,"ts":1,"dur":1,"ph":"X","name":"abc'
  fill '\000' 16
  printf '"},{"pid":1,"tid":1,"ts":2,"dur":1,"ph":"X","name":"\344\366\374\337\344\366\374\337\344\366\374","\366":1}]'
} >padded.json
tracebridge dump padded.json; echo $?
echo "two events in one another: blanks over the end of one and the beginning of the next"
printf '[%s,{"ph":"X","ts":2,"dur":1,"name":"b",      h":"X","ts":3,"name":"c","dur":1},%s]' "$(event 1 a)" \
  "$(event 4 d)" | tracebridge dump; echo $?
