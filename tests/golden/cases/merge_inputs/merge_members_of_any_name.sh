# Members whose names are not ASCII are inputs like others, in every kind of archive and whatever the locale.
python3 - <<'END'
import io, tarfile, zipfile
trace = b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]'
names = ["ü.json", "追跡/b.json", "c.json"]
with zipfile.ZipFile("a.zip", "w") as archive:
    for name in names:
        archive.writestr(name, trace)
for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
    with tarfile.open(f"{form}.tar", "w", format=form, encoding="utf-8") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(trace)
            archive.addfile(member, io.BytesIO(trace))
END
for archive in a.zip 1.tar 2.tar; do
  tracebridge merge "$archive" --unplaced start --dry-run | grep 'json, '
done
