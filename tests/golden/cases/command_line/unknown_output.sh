# A name that says no format.
# exit 2
echo "[]" > a.json
tracebridge convert a.json -o out.xyz; status=$?
ls
exit $status
