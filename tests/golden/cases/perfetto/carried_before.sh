# What traces of earlier versions carry in dicts and texts comes back as it did, and as what is carried now does.
tracebridge convert -q "$DATA/phases/carried.json" -o now.perfetto-trace
tracebridge convert -q now.perfetto-trace -o now.json
tracebridge convert -q "$HELPERS/../data/old_carried.perfetto-trace" -o before.json
cat now.json
cmp now.json before.json && echo "the same"
