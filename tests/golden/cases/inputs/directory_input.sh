# A directory is no trace.
# exit 1
mkdir d
tracebridge convert d -o out.perfetto-trace
