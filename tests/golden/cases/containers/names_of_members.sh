# Names of members are their archive's maker's to choose: with colours, a title for the terminal, a line of their own, a
# turned direction and raw bytes (ESC and CSI, as text and as a byte). Reports and messages show them escaped.
# exit 1
name=$'m\e[31m\e]0;title\a\nFORGED \xe2\x80\xaegnp.\xc2\x9b1m\x9b2m\xe2\x80\xa8\\'
printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]' >"$name.json"
printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}, 7]' >"$name.damaged"
printf 'no trace' >"$name.junk"
printf '\037\213\010\0\0\0\0\0\0\003\377\377\377\377' >"$name.refused"
tar --format=gnu -cf all.tar -- "$name.json" "$name.damaged" "$name.junk" "$name.refused"
tar --format=pax -cf pax.tar -- "$name.json"
tracebridge merge all.tar --unplaced start --skip-bad --dry-run
echo "exit status $?"
tracebridge merge all.tar --unplaced start --skip-bad -o out.perfetto-trace --report report.json
echo "exit status $?"
cat report.json
tracebridge merge pax.tar -o out.perfetto-trace --report - --machine pax.tar=$'\e[31m'
tracebridge merge pax.tar --dry-run | grep FORGED
tracebridge merge all.tar --unplaced start -o out.perfetto-trace
