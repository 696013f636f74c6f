# What is no trace, but known: the line says what it is and what to do.
# exit 1
printf '\377\376[\0' >utf16.json
printf '[{"ph":"X"}]' | iconv -t UTF-16BE >utf16be.json
printf '[{"ph":"X"}]' | iconv -t UTF-16LE >utf16le.json
printf '[{"ph":"X"}]' | iconv -t UTF-32 >utf32.json
echo '[{"ph":"X","ts":1,"dur":1,"name":"a"}]' | gzip | gzip >twice.json.gz
printf 'PK\3\4\24\0' >archive.zip
head -c 257 /dev/zero >archive.tar
printf 'ustar\0' >>archive.tar
printf '\3757zXZ\0' >trace.json.xz
printf '<!DOCTYPE html>' >systrace.html
wide='utf16.json utf16be.json utf16le.json utf32.json'
for file in $wide twice.json.gz archive.zip archive.tar trace.json.xz systrace.html; do
  tracebridge convert "$file" -o out.perfetto-trace || status=$?
done
ls
exit "$status"
