# What is replaced keeps its mode, what is new has what the umask leaves; a link stays one, and what it leads to is
# written.
mode() { stat -c '%a %F %n' "$@"; }
umask 022
cp "$DATA/phases/counters.json" a.json
for m in 600 640 444 666; do
  : >"$m.pftrace"
  : >"$m.json"
  chmod "$m" "$m.pftrace" "$m.json"
  tracebridge convert -q a.json -o "$m.pftrace" --report "$m.json"
  mode "$m.pftrace" "$m.json"
  tracebridge merge -q a.json -o "$m.pftrace" --report "$m.json"
  mode "$m.pftrace" "$m.json"
done
for u in 022 027 077 000; do
  umask "$u"
  tracebridge convert -q a.json -o "new$u.pftrace" --report "new$u.json"
  mode "new$u.pftrace" "new$u.json"
done
umask 022
mkdir else
: >else/private.pftrace
chmod 600 else/private.pftrace
ln -s else/private.pftrace link.pftrace
ln -s else/later.pftrace dangling.pftrace
ln -s link.pftrace twice.pftrace
for link in link dangling twice; do tracebridge convert -q a.json -o $link.pftrace &&
  cmp $link.pftrace new022.pftrace; done
mode link.pftrace dangling.pftrace twice.pftrace else/*
ls else
