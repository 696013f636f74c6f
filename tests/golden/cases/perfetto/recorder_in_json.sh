# What a recorder says of itself is no loss: JSON has it in otherData, and what Chrome says in metadata.
tracebridge convert --report report.json -q "$HELPERS/../data/recorder.perfetto-trace" -o recorder.json
echo "exit $?"
cat recorder.json
grep '"losses"' report.json
