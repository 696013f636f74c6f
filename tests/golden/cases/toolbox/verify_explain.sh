# What a finding means; a code that there is none of; and a file that is no trace.
# exit 1
tracebridge verify --explain overlap
tracebridge verify --explain all | grep -c '^[a-z]'
tracebridge verify --explain overlaps
echo "status $?"
tracebridge verify --explain cut trace.json
echo "status $?"
echo junk >junk
tracebridge verify junk
