# A full folder of temporary files is said with its name, and with how to name another.
mkdir tmp
unshare -rm mount -t tmpfs none tmp 2>/dev/null || exit 77
cat >full.sh <<'END'
mount -t tmpfs -o size=16k none tmp
{ seq 40000 | awk '{print "{\"ph\":\"X\",\"name\":\"a" $1 "\",\"pid\":1,\"tid\":" $1 % 16 ",\"ts\":" $1 * 10 ",\"dur\":5}"}'; } >slices.json
tar -cf slices.tar slices.json
for command in "convert slices.json -o out.pftrace --memory 1M" "convert - -o out.pftrace" \
  "merge slices.json -o out.pftrace" "merge slices.json -o out.json" "merge - -o out.pftrace"; do
  # shellcheck disable=SC2086 # several words
  tracebridge ${command%% *} -q ${command#* } < <(cat slices.tar) || echo "$command: status $?"
done
END
TMPDIR=$PWD/tmp unshare -rm bash full.sh 2>&1 | sed "s|$PWD|PWD|"
ls
