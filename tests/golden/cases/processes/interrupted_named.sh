# On a file system where an output has to be under a temporary name, a signal removes that.
"$HELPERS/without_tmpfile" true || exit 77
# shellcheck source=tests/golden/end_by_signal.sh
source "$GOLDEN/end_by_signal.sh"
mkdir tmp out
export TMPDIR=$PWD/tmp
echo old | tee out/old.json >out/old.pftrace
{ echo '['; yes '{"ph":"i","pid":1,"tid":1,"ts":1,"name":"a"},' | head -n 1000; } >begun.json
exec 2>/dev/null # the shell's own words on processes that a signal ended

interrupt() { # SIGNAL COMMAND...
  local signal=$1
  shift
  mkfifo silent
  exec 3<>silent
  cat begun.json >&3
  env --default-signal="$signal" "$HELPERS/without_tmpfile" "$@" 2>>stderr 3>&- &
  pid=$!
  until compgen -G 'out/*.[0-9]*' >/dev/null; do sleep 0.01; done
  end_by_signal "$signal" "$pid" || echo "still there"
  wait "$pid"
  echo "$* $signal: $(($? - 128)), $(ls -m tmp out)"
  exec 3>&-
  rm silent
}
for signal in INT TERM; do
  interrupt $signal tracebridge convert silent -o out/old.pftrace -j1
  interrupt $signal tracebridge convert silent -o out/new.json.gz -j2
  interrupt $signal tracebridge convert silent -o out/old.json --memory 1M
done
cat out/old.* stderr
