# A field that is encoded otherwise than its type demands (an integer where a message belongs, a group) is passed over,
# as by protobuf and by the trace processor; all else of its message is read. verify names it, and repair keeps it.
try() {
  printf '%b' "$1" >one.pftrace
  echo "--- $2"
  tracebridge dump --events one.pftrace 2>/dev/null | grep -o 'process.*'
  tracebridge verify one.pftrace | tail -n +2
  tracebridge repair -q one.pftrace -o mended.pftrace || echo "status $?"
  cmp one.pftrace mended.pftrace && echo the same
}
try '\x0a\x1d\x40\xf4\x03\x50\x01\x12\x16\x08\x0a\x0a\x09\x08\x2a\x18\x05\x1a\x03one\x0a\x07\x08\x2b\x1a\x03two' \
  'an integer in place of a process, and one in place of a text'
try '\x0a\x1a\x40\xf4\x03\x50\x01\x12\x13\x4b\x08\x02\x4c\x0a\x0d\x08\x2c\x32\x02\x01\x02\x1a\x05three' 'a group'
