# A full disk is an I/O error.
# exit 3
tracebridge convert "$DATA/real/clang-time-trace.json" --to json -o /dev/full
