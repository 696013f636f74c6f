# A signal ends the program wherever it is: waiting for somebody to open a pipe, for bytes, for room, or reading what
# has no events. Nothing is left, and the old output stays. A program that goes on is killed, which another status
# shows.
# takes long
# shellcheck source=tests/golden/end_by_signal.sh
source "$GOLDEN/end_by_signal.sh"
mkdir tmp
export TMPDIR=$PWD/tmp
mkfifo unopened silent full
echo old >out.pftrace
exec 2>/dev/null # the words of the shell on processes that a signal ended
exec 8<>silent 9<>full # held open: whoever reads `silent`, or fills `full`, waits
event='{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}'

# is_waiting PID: it has nothing to do. is_busy PID: it has worked for a while.
is_waiting() { [[ $(</proc/"$1"/comm) == tracebridge && $(awk '/^State/ {print $2}' /proc/"$1"/status) == S ]]; }
is_busy() { [[ $(awk '{print $14 + $15}' /proc/"$1"/stat) -gt 5 ]]; }

ends() { # CONDITION SIGNAL COMMAND...
  local condition=$1 signal=$2 before
  shift 2
  "$@" 2>messages &
  local pid=$! waited=0
  until "$condition" "$pid" 2>/dev/null && ((++waited > 10)); do sleep 0.01; done # ten times: it is not only on its way
  end_by_signal "$signal" "$pid"
  wait "$pid" 2>/dev/null
  echo "$signal ${*:3}: $?"
  [[ $(<out.pftrace) == old ]] || echo "the output was replaced"
  before=$(find . -type f ! -name messages ! -name out.pftrace)
  [[ -z $before ]] || echo "left: $before"
}

for signal in INT TERM HUP; do
  # a script's background jobs ignore INT: env restores it
  run=(env --default-signal=INT tracebridge)
  for jobs in -j1 -j2; do
    ends is_waiting "$signal" "${run[@]}" convert -q unopened -o out.pftrace "$jobs"
    echo "[$event," >&8
    ends is_waiting "$signal" "${run[@]}" convert -q silent -o out.pftrace "$jobs"
    ends is_busy "$signal" "${run[@]}" convert -q /dev/zero --from json --max-junk 1000G -o out.pftrace "$jobs"
  done
  ends is_waiting "$signal" "${run[@]}" merge -q unopened -o out.pftrace
  echo "[$event," >&8
  ends is_waiting "$signal" "${run[@]}" merge -q silent -o out.pftrace
  ends is_waiting "$signal" "${run[@]}" info unopened
  ends is_waiting "$signal" "${run[@]}" dump unopened
done
ends is_waiting TERM "${run[@]}" convert -q <(echo "["; yes "$event,") --from json --to json -o full
