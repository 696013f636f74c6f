# Standard output has no name to tell the format by.
# exit 2
echo "[]" > a.json
tracebridge convert a.json | cat
exit "${PIPESTATUS[0]}"
