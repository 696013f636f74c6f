# A signal ends the program (signals_end_the_program) also behind what a pipe began with, compressed or not, by any
# thread, where nobody reads what it writes, and at work.
# takes long
# shellcheck source=tests/golden/end_by_signal.sh
source "$GOLDEN/end_by_signal.sh"
mkdir tmp out
export TMPDIR=$PWD/tmp
echo old >out/old.json
cp out/old.json out/old.pftrace
event='{"ph":"i","pid":1,"tid":1,"ts":1,"name":"a"},'
{ echo '['; yes "$event" | head -n 100000; } >events.json
tracebridge convert -q events.json -o events.pftrace
{ echo '['; seq -f "{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":%f,\"name\":\"a\"}," 20000; } | gzip -c |
  head -c 30000 >begun.gz
head -c 30000 events.json >begun.json
head -c 30000 events.pftrace >begun.pftrace

cat >endless.sh <<'END'
exec tracebridge convert <(echo '['; yes '{"ph":"i","pid":1,"tid":1,"ts":1,"name":"a"},') --memory 1M -o "$@"
END

runs() { [[ $(cat "/proc/$pid/comm" 2>/dev/null) == tracebridge ]]; }
states() { cat "/proc/$pid"/task/*/stat 2>/dev/null | sed 's/.*) //; s/ .*//' | sort -u | tr -d '\n'; }
waits() { until runs && [[ $(states) == S ]] && sleep 0.01 && [[ $(states) == S ]]; do sleep 0.01; done; }
works() { until runs && [[ $(states) == *R* ]]; do sleep 0.01; done; }

# interrupt SIGNAL BEGUN READY COMMAND...: starts it with the pipes "silent", from which comes what is BEGUN and no
# more, and "full", which nobody reads; interrupts it once it is READY. Its status follows in $ended, less 128.
interrupt() {
  local signal=$1 begun=$2 ready=$3
  shift 3
  mkfifo silent full
  exec 3<>silent 4<>full # so that opening them does not wait, and reading does not come to an end
  cat "$begun" >&3
  env --default-signal="$signal" "$@" <silent >full 2>>stderr 3>&- 4>&- & # what the shell starts ignores SIGINT
  pid=$!
  "$ready"
  end_by_signal "$signal" "$pid" || echo "$signal: still there: $*"
  wait "$pid"
  ended+=" $(($? - 128))"
  exec 3>&- 4>&-
  rm silent full
}

# check BEGUN READY COMMAND...: with each signal, and where it takes a number of THREADS with one and with more
check() {
  local begun=$1 ready=$2 threads ended signal
  shift 2
  for threads in 1 2; do
    [[ $* == *THREADS* || $threads == 2 ]] || continue
    ended=
    for signal in INT HUP; do interrupt "$signal" "$begun" "$ready" "${@/THREADS/$threads}"; done
    echo "$begun: ${*/THREADS/$threads}:$ended"
  done
}

exec 2>/dev/null # the shell's own words on processes that a signal ended
check begun.gz waits tracebridge convert silent -o out/old.pftrace --memory 1M -jTHREADS
check begun.pftrace waits tracebridge convert - -o out/old.json -jTHREADS
check begun.json waits tracebridge merge events.json silent -o out/old.pftrace -jTHREADS
check begun.json waits tracebridge info silent
check begun.json waits tracebridge dump silent
check /dev/null waits tracebridge convert events.json --to json -jTHREADS
check /dev/null waits tracebridge merge events.json events.pftrace --unplaced start -jTHREADS
check /dev/null waits tracebridge dump events.json
check /dev/null works tracebridge info /dev/zero --from perfetto --max-junk 900G
check /dev/null works bash endless.sh out/old.pftrace -jTHREADS
grep . stderr
ls tmp out
cat out/*
