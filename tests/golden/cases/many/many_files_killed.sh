# A process that is killed fails its file alone; a run that is ended leaves no process and no part of an output, and
# what it made before is not made again.
trace='[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]'
echo "$trace" >a.json
echo "$trace" >z.json
mkfifo pipe.json
exec 3<>pipe.json # who reads it waits
# The process of the run $1 that reads the pipe.
reader_of() {
  local child children
  while true; do
    read -ra children <"/proc/$1/task/$1/children"
    for child in "${children[@]}"; do
      if readlink "/proc/$child"/fd/* 2>/dev/null | grep -q pipe.json; then
        echo "$child"
        return
      fi
    done
    sleep 0.01
  done
}
sizes() { sed -E 's/[0-9.]+ k?B/N B/g' "$@"; }
tracebridge convert a.json pipe.json z.json --out-dir out --jobs 1 2>lines.txt 3>&- &
kill -KILL "$(reader_of $!)"
wait $!
echo "status $?"
sizes lines.txt
rm -r out
tracebridge convert a.json pipe.json z.json --out-dir out --jobs 1 2>/dev/null 3>&- &
reader=$(reader_of $!)
kill -TERM $!
wait $!
echo "status $?"
while [[ -e /proc/$reader ]]; do sleep 0.01; done
ls -A out
tracebridge convert a.json z.json --out-dir out 2>&1 | sizes
