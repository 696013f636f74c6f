# Commands, options and values that are mistyped: what was meant, and where nothing is near, where to look.
echo "[]" >a.json
lines=("convrt a.json" "helpp" "a.json" "x.json" "help mrge" "convert a.json --ouput=x.fxt" "convert a.json --mem 1G"
  "info --jsn a.json" "merge a.json -o x.fxt --unplaced strat" "convert a.json --to perfeto"
  "convert a.json --to pftrace" "dump --from PERFETTO-TRACE a.json" "convert a.json --to pdf"
  "convert a.json --clock monotnic" "convert a.json --t x" "convert a.json out.pftrace"
  "convert a.json b.json -o out.pftrace" "convert" "info a.json b.json"
  "merge a.json -o x.fxt --clock a.json=REALTIMEE" "merge a.json -o x.fxt --offset a.json=5sec")
for line in "${lines[@]}"; do
  echo "\$ tracebridge $line"
  # shellcheck disable=SC2086
  said=$(tracebridge $line 2>&1)
  echo "${said%%$'\n'*} ($?)"
done
ls
