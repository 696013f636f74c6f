# Tables of names are no loss in JSON: otherData has them. FXT has no place for them.
tracebridge convert -q "$HELPERS/../data/lookup_tables.perfetto-trace" -o tables.json
echo "exit $?"
cat tables.json
tracebridge convert "$HELPERS/../data/lookup_tables.perfetto-trace" -o out.fxt 2>&1 | sed 's|^.*/data/||'
