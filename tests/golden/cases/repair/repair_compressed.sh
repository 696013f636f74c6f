# Compressed input that ends early is cut, one with a wrong checksum or with other bytes behind it is damaged; verify
# and repair say the same place, and each reason once.
{
  echo '['
  for i in $(seq 2000); do echo "{\"ph\":\"X\",\"name\":\"a $i\",\"pid\":1,\"tid\":1,\"ts\":$i,\"dur\":1},"; done
  echo '{"ph":"i","name":"last","pid":1,"tid":1,"ts":3000}]'
} >whole.json
tracebridge convert -q whole.json -o whole.pftrace
gzip -nk whole.json whole.pftrace
place='s/byte [1-9][0-9]*/byte N/' # what inflates says how much of a cut block there is
check() { # FILE
  echo "--- $1"
  tracebridge verify "$1" | sed -n '/^error/,/viewer/p' | grep -v viewer | sed "$place"
  tracebridge repair "$1" -o out.json 2>&1 | grep 'in reading' | sed "$place"
}
head -c -1000 whole.json.gz >cut.json.gz
python3 -c '
whole = bytearray(open("whole.json.gz", "rb").read())
whole[-8] ^= 1
open("crc.json.gz", "wb").write(whole)'
{ cat whole.json.gz; echo junk; } >junk.json.gz
head -c -1000 whole.pftrace.gz >cut.pftrace.gz
for file in cut.json.gz crc.json.gz junk.json.gz cut.pftrace.gz; do check $file; done
