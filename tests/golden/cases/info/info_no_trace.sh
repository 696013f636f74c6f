# A file that is no trace has no info.
# exit 1
echo junk >junk
tracebridge info junk
