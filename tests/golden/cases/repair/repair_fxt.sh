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
