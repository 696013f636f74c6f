#!/bin/bash
# run.sh BUILD: installs BUILD into an empty directory and uses what is there as a stranger would: pkg-config and
# find_package, shared and static; every header alone, as C11 and as C++; the man page; no symbol but tb_*.
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../data/install.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
flags=(-fno-lto) # the static library is of use without, and optimising across files takes a minute a program
sanitizers=$(sed -n 's/^TRACEBRIDGE_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt")
[[ -z $sanitizers ]] || flags+=("-fsanitize=$sanitizers")

fail() {
  echo "install: $*" >&2
  exit 1
}

check() { # NAME PROGRAM
  local said
  said=$("$2" "$data") || fail "$1 failed"
  [[ $said == "json: 3 slices" ]] || fail "$1 said: $said"
  echo "$1: $said"
}

cmake --install "$build" --prefix "$prefix" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake --install failed"; }
libdir=$(dirname "$(find "$prefix" -name tracebridge.pc)")/..
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir

read -ra compile < <(pkg-config --cflags tracebridge)
read -ra shared < <(pkg-config --libs tracebridge)
"$cc" -std=c11 "${flags[@]}" "${compile[@]}" "$here/consumer.c" "${shared[@]}" -o "$work/pc_shared"
check "pkg-config, shared" "$work/pc_shared"
read -ra static < <(pkg-config --static --libs tracebridge)
static=("${static[@]/#-ltracebridge/-l:libtracebridge.a}")
"$cc" -std=c11 "${flags[@]}" "${compile[@]}" "$here/consumer.c" "${static[@]}" -o "$work/pc_static"
LD_LIBRARY_PATH='' check "pkg-config, static" "$work/pc_static"

{
  cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="${flags[*]}"
  cmake --build "$work/cmake"
} >"$work/log" 2>&1 || { cat "$work/log"; fail "find_package failed"; }
check "find_package, shared" "$work/cmake/with_shared"
check "find_package, static" "$work/cmake/with_static"

for header in "$prefix"/include/tracebridge/*.h; do
  name=tracebridge/$(basename "$header")
  for language in "c -std=c11" "c++ -std=c++11" "c++ -std=c++17"; do
    read -ra how <<<"$language"
    # as system headers they would be spared
    echo "#include <$name>" | "$cc" -x "${how[@]}" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
      "-I$prefix/include" "${compile[@]}" -fsyntax-only - ||
      fail "$name does not stand alone in $language"
  done
done

# The examples, as somebody who has the installed copy alone builds them; packets.c needs a protobuf decoder of its own.
examples=$here/../../docs/examples
for example in "$examples"/*.c; do
  [[ ${example##*/} != packets.c ]] || continue
  "$cc" -std=c11 "${flags[@]}" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "${compile[@]}" \
    "$example" -pthread "${shared[@]}" -o "$work/$(basename "$example" .c)" || fail "${example##*/} does not build"
done
"$work/self_time" "$data" >"$work/out"
diff "$work/out" <(printf '%s\t1\t%s\t%s\n' c 1000 1000 b 1000 1000 a 5000 4000 d 0 0) ||
  fail "the example of self times said this"

# Programs that were built with older headers, and with newer ones.
cp -r "$prefix/include" "$work/newer"
sed -i 's/^  uint64_t inside;/&\n  uint64_t planted;/; s/^  enum tb_format output_format;/&\n  uint64_t planted;/' \
  "$work/newer/tracebridge/trim.h"
for version in older newer; do
  how=("${compile[@]}")
  [[ $version == older ]] || how=("-I$work/newer" -DNEWER)
  "$cc" -std=c11 "${flags[@]}" "${how[@]}" "$here/reports.c" "${shared[@]}" -o "$work/reports" ||
    fail "reports.c does not build with $version headers"
  "$work/reports" "$data" || fail "a program with $version headers went wrong"
done

"$here/header_examples.py" "$cc" "$prefix/include" || fail "an example of a header"
# What an installed page links is installed with it; tests are in the source alone.
for page in "$prefix"/share/doc/tracebridge/*.md "$prefix"/share/doc/tracebridge/merging/*.md; do
  while read -r link; do
    [[ $link == ../tests/* || -e ${page%/*}/$link ]] || fail "${page##*/} links $link, which is not installed"
  done < <(grep -o '](\([^)#:]*\)[#)]' "$page" | sed 's/^](//; s/[#)]$//; /^$/d')
done
reference=$(find "$prefix/share/doc" -name tracebridge.html)
nm -D --defined-only "$libdir/libtracebridge.so" | sed -n 's/.* \(tb_[a-z0-9_]*\)@.*/\1/p' >"$work/names"
[[ -s $work/names || -n $sanitizers ]] || fail "no names of functions"
while read -r name; do grep -q "id=\"$name\"" "$reference" || fail "the reference lacks $name"; done <"$work/names"

# The interface is the one that is recorded; a member more in an event, and a status less, are found.
if [[ -z $sanitizers ]]; then
  abi=("$here/abi.py" --cc "$cc")
  "${abi[@]}" "$prefix/include" "$libdir/libtracebridge.so" "$here/abi.txt" || fail "the interface is another one"
  for plant in 's/^  int64_t ts;/  int64_t planted;\n&/ event.h' 's/X(REFUSED, [^)]*)// base.h' \
    's/size_t most,// reader.h'; do
    rm -rf "$work/planted"
    cp -r "$prefix/include" "$work/planted"
    sed -i "${plant% *}" "$work/planted/tracebridge/${plant##* }"
    ! "${abi[@]}" "$work/planted" "$libdir/libtracebridge.so" "$here/abi.txt" >"$work/log" 2>&1 ||
      fail "a planted break of ${plant##* } was not seen"
    grep -q '^gone or changed' "$work/log" || fail "a planted break of ${plant##* }: $(cat "$work/log")"
  done
fi

"$prefix/bin/tracebridge" --version
for file in "$prefix/bin/tracebridge" "$libdir/libtracebridge.so"; do # libraries that only some use are loaded by them
  ! readelf -d "$file" | grep 'NEEDED.*lib\(archive\|Clp\|microhttpd\)' || fail "${file##*/} cannot start without it"
done
pages=$prefix/share/man/man1
for command in '' $("$prefix/bin/tracebridge" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p'); do
  case $command in help | version) continue ;; esac
  [[ -s $pages/tracebridge${command:+-$command}.1 ]] || fail "the man page of tracebridge $command is missing"
done
for script in bash-completion/completions/tracebridge zsh/site-functions/_tracebridge \
  fish/vendor_completions.d/tracebridge.fish; do
  [[ -s $prefix/share/$script ]] || fail "$script is missing"
done
foreign=$(nm -D --defined-only "$libdir/libtracebridge.so" |
  awk '$3 !~ /^(tb_|TRACEBRIDGE_0$|__asan|__odr_asan|__(start|stop)___sancov|_init$|_fini$)/ {print $3}')
[[ -z $foreign ]] || fail "symbols that are not ours: $foreign"
foreign=$(nm --defined-only --extern-only "$libdir/libtracebridge.a" 2>/dev/null |
  awk 'NF == 3 && $3 !~ /^(tb_|__asan|__odr_asan|__(start|stop)___sancov)/ {print $3}')
[[ -z $foreign ]] || fail "the static library has symbols that are not ours: $(head -n 5 <<<"$foreign")"
nm --defined-only --extern-only "$libdir/libtracebridge.a" | awk 'NF == 3 {print $3}' | sort >"$work/static"
nm -D --defined-only "$libdir/libtracebridge.so" | sed -n 's/.* \(tb_[a-z0-9_]*\).*/\1/p' | sort >"$work/shared"
[[ -n $sanitizers ]] || diff "$work/static" "$work/shared" || fail "the two libraries have not the same interface"
[[ -n $sanitizers ]] || ! nm -D --defined-only "$libdir/libtracebridge.so" | grep -v 'TRACEBRIDGE_0$' ||
  fail "symbols without a version"
