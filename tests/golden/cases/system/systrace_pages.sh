# Pages that hold a trace: three generations of systrace and trace2html, one that is damaged, and one that holds none.
# exit 1
python3 - <<'END'
import base64, gzip, zlib
text = """# tracer: nop
#
#           TASK-PID   CPU#  TIMESTAMP  FUNCTION
#              | |       |        |         |
          main-10    [000]     1.000001: tracing_mark_write: B|10|say "a\\\\b" <i>
          main-10    [000]     1.000005: tracing_mark_write: E
"""
trace = '{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}'
viewer = 'if(linuxPerfData){x="<script class=\\"trace-data\\">";}'
head = '<!DOCTYPE html>\n<html><head><script>%s</script></head><body>\n' % viewer
def page(name, *scripts):
    open(name, "w").write(head + "".join(scripts) + "</body></html>\n")
def script(tag, content):
    return "<script %s>\n%s\n  </script>\n" % (tag, content)
def lines(data):
    code = base64.b64encode(data).decode()
    return "\n".join(code[i:i + 60] for i in range(0, len(code), 60))
data = 'class="trace-data" type="application/text"'
quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n\\\n")
page("2012.html", script("", '  var linuxPerfData = "\\\n%s";' % quoted))
page("2014.html", script(data, text))
page("2016.html", script(data, '{"traceEvents":[],"metadata":{}}'), script(data, text), script(data, "PROCESS DUMP"))
page("packed.html", script(data, lines(zlib.compress(text.encode()))))
packed = lines(gzip.compress(trace.encode(), mtime=0))
page("trace2html.html", script('id="viewer-data" type="application/json"', packed))
page("two.html", script(data, text), script(data, trace))
events = ",\n".join('{"name":"%d","ph":"i","ts":%d,"pid":1,"tid":1,"s":"t"}' % (i, i) for i in range(3))
code = base64.b64encode(("[" + events + "]").encode()).decode()
page("bad.html", script(data, code[:100] + "!" + code[100:])) # a byte that is no base64
page("none.html", "<p>no trace</p>")
open("text.ctrace", "wb").write(b"TRACE:\n" + zlib.compress(text.encode()))
open("adb.ctrace", "wb").write(b"capturing trace... done\nTRACE:\n" + zlib.compress(text.encode()))
open("plain.ctrace", "w").write("TRACE:\n" + text)
END
for file in 2012.html 2014.html 2016.html packed.html trace2html.html two.html *.ctrace; do
  echo "== $file"
  tracebridge dump "$file"
done
tail -c +1 2016.html | tracebridge convert - -o out.json -q && tail -2 out.json
tracebridge convert two.html -o out.json 2>&1 | tail -2
tracebridge dump bad.html || echo "status $?"
tracebridge info 2012.html | head -1
tracebridge convert none.html -o out.json
