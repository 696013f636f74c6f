# The end of the output's name says the format in any case; ends that are none are answered with those that are.
# exit 2
echo '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >t.json
for name in a.JSON b.PFTRACE.GZ c.pftrace.Zst d.Perfetto-Trace e.Fxt; do
  tracebridge convert t.json -o "$name" -q && tracebridge info "$name" | head -1 | cut -d, -f1
done
head -c 4 c.pftrace.Zst | od -An -tx1
tracebridge convert t.json -o r.json -q --report report.JSON && head -1 report.JSON
tracebridge merge a.JSON -o m.JSON.gz -q && tracebridge info m.JSON.gz | head -1 | cut -d, -f1
tracebridge merge a.JSON -o m.txt
tracebridge convert t.json -o x.txt
