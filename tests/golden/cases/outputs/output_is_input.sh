# The input is never overwritten, by whatever name.
# exit 2
echo "[]" > a.json
ln -s a.json b.json
tracebridge convert a.json -o b.json --to perfetto; status=$?
cat a.json
exit $status
