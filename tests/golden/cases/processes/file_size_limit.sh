# A file past the limit of its size is a failed write with a message, and not the end by a signal.
# exit 3
tracebridge convert -q "$DATA/real/chromium-headless.json.gz" -o whole.json
(
  ulimit -f 8
  tracebridge convert -q whole.json -o out.pftrace || echo "status $?"
  TMPDIR=/tmp tracebridge merge -q whole.json -o out.pftrace || echo "status $?"
  tracebridge dump whole.json >dump.txt
) || status=$?
ls
exit "$status"
