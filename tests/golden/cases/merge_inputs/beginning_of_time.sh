# clang's traces say when their times begin, and are placed by that; a moved one has its new date.
for i in 0 5; do
  echo "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"ExecuteCompiler\",\"ts\":10,\"dur\":20,\"pid\":1$i,\"tid\":1}],
  \"beginningOfTime\":170000000000000$i}" >$i.json
done
tracebridge merge -q 0.json 5.json -o both.json
cat both.json
tracebridge convert -q 5.json -o 5.pftrace
tracebridge convert -q 5.pftrace -o -  --to json
tracebridge merge -q 5.pftrace --offset 5.pftrace=+1s -o moved.json
grep -E 'Time|ph' moved.json
