# What is no trace, but known: the line says what it is and what to do.
# exit 1
printf '\377\376[\0' >utf16.json
printf 'PK\3\4\24\0' >archive.zip
head -c 257 /dev/zero >archive.tar
printf 'ustar\0' >>archive.tar
printf '\3757zXZ\0' >trace.json.xz
printf '<!DOCTYPE html>' >systrace.html
for file in utf16.json archive.zip archive.tar trace.json.xz systrace.html; do
  tracebridge convert "$file" -o out.perfetto-trace || status=$?
done
ls
exit "$status"
