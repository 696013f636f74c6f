# FXT's arguments are flat: trees are written under names that spell their paths, and come back as trees. Names that
# have a separator in them do not.
cat >trace.json <<'JSON'
{"traceEvents":[
{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"args":{"data":{"frame":"F","n":[1,{"x":null,"y":[]},[2,3]],"deep":{"er":{"s":true}}},"flat.name":7,"plain":"p"}},
{"name":"b","ph":"X","ts":3,"dur":1,"pid":1,"tid":1,"args":{"data":{"a.b":1,"":2},"l":[[[5]]],"e":{"":{"x":1}}}},
{"name":"c","ph":"B","ts":5,"pid":1,"tid":1,"args":{"of":{"begin":1}}},
{"name":"c","ph":"E","ts":6,"pid":1,"tid":1,"args":{"x":1,"of":{"end":[2.5]}}},
{"name":"d","ph":"B","ts":8,"pid":1,"tid":1,"args":{"l":[1]}},
{"name":"d","ph":"E","ts":9,"pid":1,"tid":1,"args":{"l":[2]}},
{"name":"many","ph":"i","s":"t","ts":7,"pid":1,"tid":1,"args":{"d":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15}}}
]}
JSON
tracebridge convert -q trace.json -o trace.fxt || exit
tracebridge dump trace.fxt | grep 'complete\|instant'
tracebridge convert -q trace.fxt -o again.json || exit
grep name again.json
