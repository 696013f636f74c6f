# Slices that are open while memory is short are written before they end: what comes on them then, and their ends, is
# the same in FXT as where there is memory for all; in what order the file has them is not.
awk 'BEGIN {
  print "[{\"ph\":\"B\",\"name\":\"outer\",\"cat\":\"c\",\"ts\":0,\"pid\":1,\"tid\":2}"
  for (ts = 1; ts <= 6; ts++) for (tid = 2; tid <= 3000; tid++) {
    if (ts == 1) printf ",{\"ph\":\"B\",\"name\":\"outer %d\",\"cat\":\"c\",\"args\":{\"a\":%d}", tid, tid
    if (ts == 2) printf ",{\"ph\":\"B\",\"name\":\"inner\",\"cat\":\"c\""
    if (ts == 3) printf ",{\"ph\":\"s\",\"name\":\"f\",\"cat\":\"f\",\"id\":%d", tid
    if (ts == 4) printf ",{\"ph\":\"E\""
    if (ts == 5) printf ",{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"f\",\"cat\":\"f\",\"id\":%d", tid < 3000 ? tid + 1 : 2
    if (ts == 6) printf ",{\"ph\":\"E\",\"name\":\"outer %d\"", tid
    printf ",\"ts\":%d,\"pid\":1,\"tid\":%d}\n", ts * 3, tid
  }
  print "]"
}' > in.json
for memory in 1M 1G; do
  tracebridge convert -q in.json -o $memory.fxt --memory $memory; echo "$memory: $?"
done
cmp -s 1M.fxt 1G.fxt || echo "other records"
tracebridge diff -q 1M.fxt 1G.fxt | head -3
tracebridge info 1M.fxt | grep '^events'
