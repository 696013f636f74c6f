# The system's events that a file has as text count in diff and verify, whatever the other file has them as.
cat >a.txt <<'TEXT'
# tracer: nop
#
           foo-10    (   10) [000] ...1   100.000100: tracing_mark_write: B|10|outer
           foo-10    (   10) [000] ...1   100.000200: tracing_mark_write: E|10
           foo-10    (   10) [000] ...1   100.000300: tracing_mark_write: E|10
           foo-10    (   10) [000] ...1   100.000400: tracing_mark_write: B|10|never
TEXT
tracebridge convert -q a.txt -o a.json
sed 's/outer/inner/' a.txt | tracebridge convert -q - -o b.pftrace
tracebridge convert -q b.pftrace -o b.json
tracebridge convert -q a.json -o a.pftrace
compare() { tracebridge diff "$1" "$2" 2>/dev/null | grep -v '^not compared'; }
compare a.json a.pftrace
compare a.txt a.json
compare a.json b.pftrace
compare a.txt b.json
tracebridge verify a.txt
tracebridge verify a.json | head -2
