# An output that cannot be created is an I/O error.
# exit 3
tracebridge convert "$DATA/phases/flows.json" -o nowhere/out.json
