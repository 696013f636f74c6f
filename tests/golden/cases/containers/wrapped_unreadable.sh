# Members of an archive that cannot be read are noted though another is read, and a damaged archive is a loss.
printf '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >a.json
python3 - <<'END'
import io, tarfile, zipfile
text = open("a.json", "rb").read()
with zipfile.ZipFile("secret.zip", "w") as archive:
    archive.writestr("secret.json", text)
    archive.writestr("a.json", text)
data = bytearray(open("secret.zip", "rb").read())
data[6] |= 1 # the first member is encrypted, as its own header and the list say
data[data.index(b"PK\1\2") + 8] |= 1
open("secret.zip", "wb").write(data)
with tarfile.open("damaged.tar", "w") as archive:
    for name in "a.json", "b.json":
        member = tarfile.TarInfo(name)
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
data = bytearray(open("damaged.tar", "rb").read())
data[1024:1536] = b"?" * 512 # the second member's header
open("damaged.tar", "wb").write(data)
with tarfile.open("short.tar", "w") as archive:
    member = tarfile.TarInfo("a.json")
    member.size = len(text)
    archive.addfile(member, io.BytesIO(text))
data = open("short.tar", "rb").read()
open("short.tar", "wb").write(data[:1024]) # behind the first member, where others may have been
with zipfile.ZipFile("cut.zip", "w") as archive:
    archive.writestr("a.json", text)
    archive.writestr("b.json", text)
    end = archive.infolist()[1].header_offset
data = open("cut.zip", "rb").read()
open("cut.zip", "wb").write(data[:end]) # behind the first member
END
for file in secret.zip damaged.tar short.tar cut.zip; do
  tracebridge convert "$file" -o out.pftrace 2>&1 | grep -v '^  [ets]'
  echo "status ${PIPESTATUS[0]}"
done
tracebridge info damaged.tar | grep lost -A2
tracebridge dump damaged.tar 2>&1
echo "status $?"
tracebridge convert --strict damaged.tar -o out.pftrace 2>&1
echo "status $?"
