# Parts are compressed where the input is, and are files.
# exit 2
echo '[{"ph":"i","name":"a","ts":1,"pid":3,"tid":4},{"ph":"i","name":"b","ts":2,"pid":5,"tid":6}]' | gzip >a.json.gz
tracebridge split a.json.gz --by process -o parts
gzip -dc parts/process-3.json.gz | grep -o '"name":"a"'
tracebridge split a.json.gz --by time=1ns -o many
tracebridge split a.json.gz --by process -o -
