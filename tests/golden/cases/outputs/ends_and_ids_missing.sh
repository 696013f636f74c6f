# An end without a begin, and events that join others by an id and have none, are called the same by verify whatever
# format they are converted to: no phase that is not known.
try() {
  echo "[{\"ph\":\"$1\",\"name\":\"x\",\"cat\":\"c\",\"pid\":1,\"tid\":1,\"ts\":25}]" >in.json
  for format in pftrace fxt; do tracebridge convert -q in.json -o "in.$format"; done
  for format in json pftrace fxt; do tracebridge verify "in.$format" | sed -n 's/^warning \([a-z_]*\):.*/\1/p'; done
}
for phase in E e n s f N D '?'; do echo "$phase: $(try "$phase" | paste -sd' ')"; done
