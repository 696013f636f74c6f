# A few barriers, of which each side misses some: a shift by one period may have more matches than the right one. Wall
# clocks decide, and without them the bound reaches both. Matches that no drift explains say nothing.
barriers() { # barriers FILE BASE-SECONDS-OR-NOTHING MICROSECONDS...
  local file=$1 base=${2:+"\"baseTimeNanoseconds\": ${2}000000000, "} comma=""
  shift 2
  printf '{%s"traceEvents": [' "$base" >"$file"
  for at in "$@"; do
    printf '%s{"ph": "i", "name": "bar", "pid": 1, "tid": 1, "ts": %s}' "$comma" "$at" >>"$file"
    comma=", "
  done
  echo ']}' >>"$file"
}
merge() { tracebridge merge -q "$1" "$2" --align-on bar --dry-run --report - | grep -E '^warning|offset|bounds'; }
here=(1000000 3000000 5000000 9000000 11000000 13000000 15000000 17000000 19000000) # not the one at 7 s
there=(3000001 5000000 7000001 11000000 13000001 15000000 17000001 19000000)        # nor those at 1 s and 9 s
barriers a.json 1700000000 "${here[@]}"
barriers b.json 1700000000 "${there[@]}"
barriers c.json "" "${there[@]}"
echo "wall clocks decide"
merge a.json b.json
merge b.json a.json
echo "nothing decides"
merge a.json c.json
echo "wall clocks contradict the few that match"
barriers d.json 1700000000 1496388 1986826 2656645
barriers e.json 1700000000 1666417 2165536 2486601
barriers f.json 1700000000 1990490 2482012
barriers g.json 1700000000 1491700 1991532
merge d.json e.json
merge f.json g.json
echo "three of three on one line are believed"
barriers h.json 1700000005 1000000 1400000 3000000
barriers i.json 1700000009 1000000 1400001 3000000
merge h.json i.json
