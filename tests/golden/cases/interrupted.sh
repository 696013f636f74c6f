# An interruption leaves nothing behind. The endless input makes sure that it comes in the middle.
# exit 143
{ echo "["; yes '{"ph":"i","pid":1,"tid":1,"ts":1,"name":"again"},'; } 2>/dev/null | tracebridge convert - -o out.json &
sleep 0.3
kill -TERM "$!"
wait "$!"
status=$?
ls
exit "$status"
