#!/bin/bash
# run.sh BUILD: makes the Debian packages of BUILD and installs them as people do; see README.md.
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
trace=$here/../data/install.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # mmdebstrap's user reads the packages
made=$work/made
root=$work/root

fail() {
  echo "packages: $*" >&2
  exit 1
}

(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$made") >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "cpack failed"; }
debs=("$made"/*.deb)
[[ ${#debs[@]} == 3 ]] || fail "not three packages: ${debs[*]##*/}"
for deb in "${debs[@]}"; do
  echo "$(dpkg-deb -f "$deb" Package): $(dpkg-deb -f "$deb" Depends)"
  dpkg-deb -x "$deb" "$root"
done
in_package() { dpkg-deb -c "$made/$1"_*.deb | awk '{print $6}' | grep -v '/$'; }
! in_package tracebridge | grep -vE '/(bin|share)/' || fail "the program's package has what is not the program's"
! in_package libtracebridge0 | grep -vE '/libtracebridge\.so\.0|/share/' || fail "the library's package has too much"

# Unpacked: the program runs, and a user's program is built with what is there.
"$root/usr/bin/tracebridge" convert -q "$trace" -o "$work/t.pftrace"
"$root/usr/bin/tracebridge" info "$work/t.pftrace" | head -n 1
pc=$(find "$root" -name tracebridge.pc)
grep -q '^prefix=/usr$' "$pc" || fail "tracebridge.pc has another prefix"
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$root
read -ra flags < <(pkg-config --cflags --libs tracebridge)
cc "$here/../install/consumer.c" -o "$made/consumer" "${flags[@]}" "-L${pc%/pkgconfig/*}"
command -v mmdebstrap >/dev/null || {
  echo "packages: no mmdebstrap here: unpacked and run only"
  exit 0
}

# In a fresh Debian: the program alone, then the libraries, with which the user's program runs; all is removed again.
cp "$trace" "$made"
chmod -R a+rX "$made"
cat >"$made/inside.sh" <<'INSIDE'
set -eux
cd /made
apt-get install -qq -y --no-install-recommends ./tracebridge_*.deb
tracebridge convert -q install.json -o /tmp/t.pftrace
tracebridge info /tmp/t.pftrace | grep '^format *perfetto'
apt-get install -qq -y --no-install-recommends ./libtracebridge0_*.deb ./libtracebridge-dev_*.deb
test "$(./consumer install.json)" = "json: 3 slices"
apt-get remove -qq -y tracebridge libtracebridge-dev libtracebridge0
test ! -e /usr/bin/tracebridge
INSIDE
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016 # mmdebstrap says what $1 is: the root
hooks=(--customize-hook='mkdir "$1/made"' --customize-hook="copy-in $made/. /made"
  --customize-hook='chroot "$1" sh /made/inside.sh')
mmdebstrap --variant=apt "${hooks[@]}" "$suite" /dev/null >"$work/log" 2>&1 || {
  tail -n 20 "$work/log"
  ! grep -q '^+ cd /made' "$work/log" || fail "what was installed does not work"
  echo "packages: mmdebstrap cannot run here: unpacked and run only"
  exit 0
}
echo "packages: installed, used and removed in a fresh $suite"
