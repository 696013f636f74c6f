# A flow of JSON may lead to several slices, one of FXT leads to one: further ends are counted as lost, whether flow
# events or slices say them.
# exit 4
cat >a.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":10,"name":"a","bind_id":7,"flow_out":true},
{"ph":"s","pid":1,"tid":1,"ts":2,"name":"f","cat":"c","id":5},
{"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"b","bind_id":7,"flow_in":true},
{"ph":"f","bp":"e","pid":1,"tid":2,"ts":22,"name":"f","cat":"c","id":5},
{"ph":"X","pid":1,"tid":3,"ts":40,"dur":10,"name":"d","bind_id":7,"flow_in":true},
{"ph":"f","bp":"e","pid":1,"tid":3,"ts":42,"name":"f","cat":"c","id":5}]
END
tracebridge convert a.json -o a.fxt
# so are those that the file has before the flow begins
cat >b.json <<'END'
[{"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"b"},
{"ph":"f","bp":"e","pid":1,"tid":2,"ts":22,"name":"f","cat":"c","id":5},
{"ph":"X","pid":1,"tid":3,"ts":40,"dur":10,"name":"d"},
{"ph":"f","bp":"e","pid":1,"tid":3,"ts":42,"name":"f","cat":"c","id":5},
{"ph":"X","pid":1,"tid":1,"ts":1,"dur":10,"name":"a"},
{"ph":"s","pid":1,"tid":1,"ts":2,"name":"f","cat":"c","id":5}]
END
tracebridge convert b.json -o b.fxt
