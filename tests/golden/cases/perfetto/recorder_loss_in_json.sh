# Marks of what the recorder lost are instants, at the latest time so far where their packet has none.
tracebridge convert --report report.json -q "$HELPERS/../data/recorder_loss.perfetto-trace" -o out.json; echo "exit $?"
grep '"i"' out.json
