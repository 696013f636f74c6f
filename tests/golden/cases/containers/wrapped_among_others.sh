# A Perfetto trace is found in an archive among JSON that is no trace, text that starts with an empty line and another
# archive; what may be a trace is not called one; a folder with a file like a bug report's is none.
# exit 1
printf '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >a.json
tracebridge convert a.json -o a.pftrace -q --report report.json
python3 - <<'END'
import zipfile
def pack(name, *members):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members:
            archive.writestr(member, data)
def number(n):
    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
def field(tag, data):
    return number(tag << 3 | 2) + number(len(data)) + data
text = open("a.json", "rb").read()
packets = open("a.pftrace", "rb").read()
long_packet = field(1, field(33, field(2, field(1, field(1, b"source"))) * 500)) # the recorder's options, at the start
readme = b"\nWhat this is: a trace, and what belongs to it. " + b"It says nothing of use. " * 20
report = open("report.json", "rb").read()
pack("inner.zip", ("README", readme))
inner = open("inner.zip", "rb").read()
others = ("package.json", b'{"name": "x", "version": "1.0.0"}'), ("README", readme), ("report.json", report)
pack("trace.zip", *others, ("a.pftrace", packets))
pack("long.zip", *others, ("a.pftrace", long_packet + packets))
pack("among.zip", ("inner.zip", inner), ("a.pftrace", packets))
pack("perhaps.zip", *others)
pack("bugreport.zip", ("bugreport-of-ours.txt", b"It hangs."), ("a.json", text))
END
for file in trace.zip long.zip among.zip bugreport.zip; do
  tracebridge convert "$file" -o out.json 2>&1 | grep -v '^  [ets]'
done
tracebridge convert perhaps.zip -o out.json
