# A directory is not overwritten.
# exit 3
mkdir out.json
tracebridge convert "$DATA/phases/flows.json" -o out.json; status=$?
ls
exit "$status"
