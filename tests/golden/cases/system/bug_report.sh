# Of a bug report's zip file the trace that was recorded for it is read, else the systrace; what else is in it is said.
# exit 1
printf '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >a.json
printf '[{"name":"b","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >b.json
tracebridge convert a.json -o a.pftrace -q
tracebridge convert b.json -o b.pftrace -q
python3 - <<'END'
import zipfile, zlib
text = "# tracer: nop\n#\n  main-10    [000]  1.000001: tracing_mark_write: B|10|c\n"
def pack(name, **members):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main_entry.txt", "bugreport-phone-2022.txt")
        archive.writestr("bugreport-phone-2022.txt", "==== dumpstate")
        archive.writestr("proto/activity.proto", open("a.pftrace", "rb").read()) # no trace, though it looks like one
        for member, data in members.items():
            archive.writestr(paths[member], data)
stored = "FS/data/misc/perfetto-traces/"
paths = {"report": stored + "bugreport/systrace.pftrace", "other": stored + "other.pftrace", "systrace": "systrace.txt"}
packets = open("b.pftrace", "rb").read()
systrace = b"TRACE:\n" + zlib.compress(text.encode())
pack("2023.zip", other=open("a.pftrace", "rb").read(), report=packets, systrace=systrace)
pack("2018.zip", systrace=systrace)
pack("none.zip")
END
for file in 2023.zip 2018.zip; do
  tracebridge convert "$file" -o out.json 2>&1 | grep -v '^  [ets]'
  tracebridge merge "$file" -o merged.pftrace -q && tracebridge dump --events merged.pftrace | grep -o '"[bc]"\|text.*'
done
tracebridge merge 2023.zip -o merged.pftrace 2>&1 | grep other
tracebridge convert none.zip -o out.json
