# A member whose name cannot be read, here no UTF-8 where the archive says that it is, is a bad input like others.
python3 - <<'END'
import io, zipfile
trace = '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]'
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w") as members:
    for name in ["a.json", "é.json", "c.json"]:
        members.writestr(name, trace)
open("a.zip", "wb").write(archive.getvalue().replace("é".encode(), b"\xff\xfe"))
END
tracebridge merge -q a.zip --unplaced start -o out.pftrace; echo "exit $?"
tracebridge merge -q a.zip --unplaced start -o out.pftrace --skip-bad --report report.txt; echo "exit $?"
grep -A1 'a.zip/' report.txt
tracebridge info out.pftrace | grep ^events
