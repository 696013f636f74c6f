# Stack samples of newer recorders than the trace processor of the tests: samples in JSON and FXT, the packet with its
# names in dump.
in=stack_sample.perfetto-trace
cp "$HELPERS/../data/$in" .
tracebridge convert --report report.json -q "$in" -o out.json
echo "exit $?"
cat out.json
grep '"losses"' report.json
tracebridge convert -q "$in" -o out.fxt
echo "exit $?"
tracebridge dump --events out.fxt | grep -c "sample"
tracebridge dump "$in" | grep -A3 -m1 ' stack_sample {'
tracebridge info "$in" | grep stack_sample
tracebridge convert -q "$in" -o again.perfetto-trace
tracebridge convert -q again.perfetto-trace -o again.json
tracebridge convert -q --keep-packets "$in" -o kept.fxt
tracebridge convert -q kept.fxt -o kept.perfetto-trace
tracebridge convert -q kept.perfetto-trace -o kept.json
for json in again.json kept.json; do diff out.json $json && echo "the same"; done
tracebridge merge -q --flatten-machines --machine "$in=host" --machine again.perfetto-trace=guest "$in" \
  again.perfetto-trace -o merged.perfetto-trace
tracebridge dump merged.perfetto-trace | grep -E '^ +(pid|tid): ' | sort | uniq -c
