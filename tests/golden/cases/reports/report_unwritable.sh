# A report that cannot be written is an I/O error; the output is complete.
# exit 3
tracebridge convert -q "$DATA/phases/flows.json" -o flows.perfetto-trace --report nowhere/report.json; status=$?
ls
exit "$status"
