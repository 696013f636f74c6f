# Where --from says what an input is, what only looks like a page or an archive is read as that.
line='   app-10  [000] .... 1.000001: tracing_mark_write: B|10|x'
printf '<!DOCTYPE html><html># tracer: nop\n#\n%s\n' "$line" >page
printf 'PK\003\004# tracer: nop\n#\n%s\n' "$line" >zip
for input in page zip; do
  tracebridge convert $input -o "$input.json" -q 2>&1
  echo "without: $?"
  tracebridge convert --from ftrace "$input" -q -o "$input.json"
  echo "convert: $?"
  for command in info dump; do
    tracebridge "$command" --from ftrace "$input" >out 2>&1
    echo "$command: $?"
  done
done
grep -c 'tracing_mark_write' page.json zip.json
