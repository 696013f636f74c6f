# Any number of threads merges to the same bytes, and tells the same input first when two are bad.
# exit 1
for i in 1 2 3 4 5; do
  sed "s/\"tid\": *[0-9]*/\"tid\":$i/" "$DATA/real/clang-time-trace.json" >part.json
  tracebridge convert -q part.json -o part$i.perfetto-trace
done
for n in 1 2 4; do tracebridge merge -q -j $n --unplaced=start part?.perfetto-trace -o by$n.perfetto-trace; done
cmp by1.perfetto-trace by2.perfetto-trace && cmp by1.perfetto-trace by4.perfetto-trace && echo same bytes
printf '\n\377\377\377\377' >part2.perfetto-trace
printf '\n\377\377\377\377' >part4.perfetto-trace
status=0
for n in 1 4; do tracebridge merge -q -j $n --unplaced=start part?.perfetto-trace -o bad.perfetto-trace || status=$?
done
ls bad.perfetto-trace 2>/dev/null
exit "$status"
