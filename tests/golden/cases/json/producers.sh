# Traces of the shapes that producers write which are not quite the format (DATA/producers/README.md): each is read
# whole, with nothing lost, and what was assumed is noted.
for trace in "$DATA"/producers/*.*; do
  [[ $trace == *.md ]] && continue
  tracebridge convert --strict "$trace" -o out.pftrace >out 2>&1
  status=$?
  sed -E 's/, [0-9]+ bytes\)$/, SIZE)/' out
  ((status == 0)) || echo "status $status"
done
