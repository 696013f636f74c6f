# A conversion that fails leaves an older output as it was.
# exit 1
echo old >out.json
tracebridge convert "$DATA/real/sum.c" -o out.json; status=$?
cat out.json
ls
exit "$status"
