# An empty file is no trace.
# exit 1
: > empty.json
tracebridge convert empty.json -o out.perfetto-trace; status=$?
ls
exit $status
