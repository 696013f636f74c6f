# A trace is read where it is compressed, or the one trace of an archive; the names are those of the members.
printf '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]' >trace.json
tracebridge convert trace.json -o - --to perfetto -q | sha256sum >expected
mkdir folder
cp trace.json folder/
echo '{"device":"none"}' >folder/metadata.json
echo 'what this is' >folder/README.txt
python3 - <<'END'
import bz2, lzma, tarfile, zipfile, gzip, zlib
text = open("trace.json", "rb").read()
open("trace.json.xz", "wb").write(lzma.compress(text))
open("trace.json.bz2", "wb").write(bz2.compress(text))
open("trace.json.zlib", "wb").write(zlib.compress(text))
open("folder/trace.json", "wb").write(text)
for mode, name in ("w", "folder.tar"), ("w:gz", "folder.tar.gz"), ("w:xz", "folder.tar.xz"):
    with tarfile.open(name, mode) as archive:
        archive.add("folder")
with zipfile.ZipFile("folder.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.write("folder/README.txt")
    archive.write("folder/metadata.json")
    archive.writestr("trace.json.gz", gzip.compress(text, mtime=0))
END
same() {
  tracebridge convert "$1" -o - --to perfetto -q | sha256sum | cmp - expected && echo "$1: the same"
}
for file in trace.json.xz trace.json.bz2 trace.json.zlib folder.tar folder.tar.gz folder.tar.xz folder.zip; do
  same "$file"
done
tail -c +1 folder.zip | same - # a pipe
same - <folder.tar.xz
tracebridge convert folder.zip -o out.pftrace 2>&1 | head -1
tracebridge convert folder.zip -o out.pftrace -q --report - --report report.json
grep '"from"' report.json
tracebridge info folder.tar | head -1
tracebridge dump folder.zip
tracebridge merge trace.json.xz -o merged.pftrace --dry-run -q && echo merged
ls
