# A heap profile is a sample of its process for each call stack, whose stack may come behind it; a dump that is not
# whole says so.
tracebridge convert --report report.json -q "$HELPERS/../data/heap_profile.perfetto-trace" -o out.json
echo "exit $?"
cat out.json
grep '"losses"' report.json
tracebridge convert -q "$HELPERS/../data/heap_profile.perfetto-trace" -o out.fxt
echo "exit $?"
tracebridge dump --events out.fxt | grep -c self_allocated
