# A counter's id that is id2 of JSON stays that by way of Perfetto, by a legacy id of its samples.
printf '%s\n' '[{"ph":"C","id2":{"local":"0x5"},"name":"m","ts":1,"pid":1,"tid":1,"args":{"v":1,"w":2}},' \
  '{"ph":"C","id2":{"global":"text"},"name":"m","ts":2,"pid":1,"tid":1,"args":{"v":1}},' \
  '{"ph":"C","id":"0x5","name":"n","ts":3,"pid":1,"tid":1,"args":{"v":1}},' \
  '{"ph":"C","id2":{"local":"0x5"},"cat":"x","name":"m","ts":4,"pid":1,"tid":1,"args":{"v":1,"w":"3"}}]' >a.json
tracebridge convert -q a.json -o a.pftrace
tracebridge convert -q a.pftrace --to json
