# What of an archive's members is no trace is passed over by the rule that convert has; merge says so.
cp "$DATA/phases/counters.json" trace.json
printf 'Read me first.\n' >README.md
printf '{"name": "package", "version": "1.0"}\n' >package.json
: >empty
python3 - <<'END'
import zipfile
for name, members in (("one", ["README.md", "trace.json", "package.json", "empty"]), ("none", ["README.md"]),
                      ("perhaps", ["package.json"])):
    with zipfile.ZipFile(name + ".zip", "w") as archive:
        for member in members:
            archive.write(member)
END
for name in one none perhaps; do
  for command in convert merge; do
    tracebridge "$command" -q "$name.zip" -o "$name.$command.pftrace"
    echo "$command $name: exit $?" >&2
  done
done
tracebridge merge -q trace.json -o plain.pftrace
cmp plain.pftrace one.merge.pftrace
tar -cf one.tar README.md trace.json package.json
tracebridge merge -q one.tar -o tar.pftrace
cmp plain.pftrace tar.pftrace
