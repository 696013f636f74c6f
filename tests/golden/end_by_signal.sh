# Sourced by cases.

# end_by_signal SIGNAL PID: sends it, and gives the process ten seconds to end. One that is still there is killed, and
# false returned.
end_by_signal() {
  local tries
  kill "-$1" "$2"
  for ((tries = 0; tries < 1000; tries++)); do
    kill -0 "$2" 2>/dev/null || return 0
    sleep 0.01
  done
  kill -KILL "$2" 2>/dev/null
  return 1
}
