# Binary junk is no trace.
# exit 1
printf "\377\000\001junk" > junk
tracebridge convert junk -o out.perfetto-trace; status=$?
ls
exit $status
