# A report describes a failure too.
# exit 1
: > empty.json
tracebridge convert -q empty.json -o out.perfetto-trace --report report.json; status=$?
cat report.json
exit "$status"
