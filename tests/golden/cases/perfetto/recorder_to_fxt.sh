# What a recorder says of itself has no place in FXT: that is noted, and no loss.
tracebridge convert "$HELPERS/../data/recorder.perfetto-trace" -o out.fxt 2>&1 | sed 's|^.*/data/||'
echo "exit ${PIPESTATUS[0]}"
tracebridge convert --keep-packets -q "$HELPERS/../data/recorder.perfetto-trace" -o kept.fxt
echo "exit $?"
tracebridge convert -q kept.fxt -o back.perfetto-trace
tracebridge dump back.perfetto-trace | grep -c trace_config
