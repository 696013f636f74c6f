# exit 1
# Bytes that are no UTF-8 become U+FFFD, so that two names may be one: a loss, counted by events, with the first byte.
printf '[{"ph":"X","name":"M\374ller","ts":1,"dur":2,"pid":1,"tid":1},\n{"ph":"X","name":"M\366ller","args":{"\344":"\344"},"ts":5,"dur":2,"pid":1,"tid":1}]' >in.json
tracebridge convert in.json -o out.json 2>&1
echo "exit $?"
cat out.json
printf '{"traceEvents":[{name:"\374","ph":"i","ts":1}],"otherData":{"a":"\374"},"stackFrames":{"1":{"name":"\374"}}}' |
  tracebridge convert - -o - --to json 2>&1
echo "exit $?"
printf '{"ph":"i","name":"\\ud800 \303\274","ts":1}' | tracebridge convert -q --strict - -o - --to json
echo "exit $?"
tracebridge convert --strict in.json -o strict.json
