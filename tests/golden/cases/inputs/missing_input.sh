# A file that is not there is an I/O error.
# exit 3
tracebridge convert nowhere.json -o out.perfetto-trace; status=$?
ls
exit $status
