# A damaged FXT archive: a record whose type does not exist, one whose size is 0, a file that was cut. What is whole
# stays, what is lost is counted with its place, and verify finds nothing in the result.
{
  echo magic
  echo 'provider id=1 name="p"'
  echo 'init ticks_per_second=1000000000'
  for at in 100 200 300 400 500; do echo "instant ts=$at thread=1/2 name=\"event $at\""; done
} >all.txt
"$HELPERS/fxt_from_text" all.txt all.fxt
damage() { # NAME PYTHON: what becomes of `data`; `at`: where the third event begins
  python3 -c "
data = bytearray(open('all.fxt', 'rb').read())
at = data.index(b'event 30') - 32
$2
open('$1.fxt', 'wb').write(data)"
  echo "--- $1: $(tracebridge verify "$1.fxt" | grep -c '^error')"
  tracebridge repair "$1.fxt" -o mended.fxt
  tracebridge dump --events mended.fxt | grep -o 'name="event.*'
  tracebridge verify mended.fxt
}
damage whole ''
damage type 'data[at] = data[at] & 0xf0 | 13'
damage size 'data[at] &= 15; data[at + 1] = 0'
damage cut 'del data[-9:]'
echo '--- ends without begins: repaired again, nothing changes'
{
  head -n 3 all.txt
  echo 'end ts=50 thread=1/2 name="z"'
  echo 'complete ts=100 thread=1/2 name="a" end=200'
  echo 'end ts=250 thread=1/2 name="z"'
  echo 'complete ts=260 thread=1/2 name="q" end=270'
} >ends.txt
"$HELPERS/fxt_from_text" ends.txt ends.fxt
tracebridge repair -q ends.fxt -o once.fxt
tracebridge repair -q once.fxt -o twice.fxt
tracebridge dump --events once.fxt | grep -o 'slice.*\|other.*'
cmp once.fxt twice.fxt && echo the same
echo '--- bytes before the first record'
{ printf 'junkjunk' && cat ends.fxt; } >late.fxt
tracebridge repair --from fxt late.fxt -o out.fxt || echo $?
