# What is wrong with an archive is said by the names of the archive and its members.
# exit 1
printf '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >a.json
printf '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1},?]' >broken.json
python3 - <<'END'
import bz2, random, tarfile, zipfile
def pack(name, *members):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members:
            archive.writestr(member, data)
good = open("a.json", "rb").read()
noise = random.Random(1).randbytes(100000).hex().encode()
pack("several.zip", *(("f/%d.json" % i, good) for i in range(5)))
pack("none.zip", ("README.txt", b"no trace"), ("b.json", b"no JSON"))
pack("broken.zip", ("f/broken.json", open("broken.json", "rb").read()))
pack("long.zip", ("long.json", b"[" + b",".join([good[1:-1]] * 20000) + b"]"))
data = open("long.zip", "rb").read()
open("cut.zip", "wb").write(data[:len(data) // 2])
open("cut.json.bz2", "wb").write(bz2.compress(b"[" + good[1:-1] + b',"' + noise + b'"]')[:60000])
data = bytearray(open("several.zip", "rb").read())
data[6] |= 1 # encrypted, as its own header says
pack("one.zip", ("secret.json", good))
data = bytearray(open("one.zip", "rb").read())
data[6] |= 1
data[data.index(b"PK\1\2") + 8] |= 1
open("encrypted.zip", "wb").write(data)
with tarfile.open("empty.tar", "w"):
    pass
END
for file in several.zip none.zip broken.zip cut.zip cut.json.bz2 encrypted.zip; do
  tracebridge convert "$file" -o out.pftrace >&2 || echo "$file: status $?"
done
tracebridge info none.zip || echo "status $?"
tracebridge dump several.zip || status=$?
ls
exit "$status"
