# A report that cannot be written is an I/O error, which is found before anything is read, whatever the command.
# exit 3
mkdir folder.json
for report in nowhere/report.json folder.json; do
  tracebridge convert -q "$DATA/phases/flows.json" -o flows.perfetto-trace --report "$report"
  tracebridge merge -q "$DATA/phases/flows.json" -o flows.perfetto-trace --report "$report"
  tracebridge trim -q "$DATA/phases/flows.json" -o flows.perfetto-trace --report "$report"
  status=$?
done
ls
exit "$status"
